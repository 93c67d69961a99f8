package annotate

// Rules about progress, cancellation and ping.
var utilityRules = []Rule{}
