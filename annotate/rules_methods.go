package annotate

// Rules about direction and method names.
var methodRules = []Rule{}
