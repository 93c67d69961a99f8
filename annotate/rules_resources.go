package annotate

// Rules about resources.
var resourceRules = []Rule{}
