package annotate

// Rules about discovery and eras.
var eraRules = []Rule{}
