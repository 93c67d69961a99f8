package annotate

// Rules about multi round-trip requests.
var roundRules = []Rule{}
