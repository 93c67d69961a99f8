package annotate

// Rules about logging.
var loggingRules = []Rule{}
