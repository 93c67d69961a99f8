package annotate

// Rules about tasks as 2025-11-25 has them.
var taskRules = []Rule{}
