package annotate

// Rules about tools: their definitions.
var toolRules = []Rule{}
