package annotate

// Rules about sampling.
var samplingRules = []Rule{}
