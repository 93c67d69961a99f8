package annotate

// Rules about tools: calls and results.
var callRules = []Rule{}
