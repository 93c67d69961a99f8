package annotate

// Rules about the tasks extension.
var taskExtensionRules = []Rule{}
