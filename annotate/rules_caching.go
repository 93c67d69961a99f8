package annotate

// Rules about results and caching of the modern era.
var cachingRules = []Rule{}
