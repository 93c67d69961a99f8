package annotate

// Rules about prompts and completion.
var promptRules = []Rule{}
