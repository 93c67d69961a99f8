package annotate

// Rules about the design review of tools.
var designRules = []Rule{}
