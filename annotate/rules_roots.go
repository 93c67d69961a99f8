package annotate

// Rules about roots.
var rootRules = []Rule{}
