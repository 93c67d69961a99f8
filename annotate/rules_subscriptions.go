package annotate

// Rules about subscriptions of the modern era.
var subscriptionRules = []Rule{}
