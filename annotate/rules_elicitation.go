package annotate

// Rules about elicitation.
var elicitationRules = []Rule{}
