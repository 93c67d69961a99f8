package annotate

// Rules about requests and metadata of the modern era.
var modernRules = []Rule{}
