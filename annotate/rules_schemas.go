package annotate

// Rules about shapes and schemas.
var schemaRules = []Rule{}
