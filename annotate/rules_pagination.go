package annotate

// Rules about pagination.
var paginationRules = []Rule{}
