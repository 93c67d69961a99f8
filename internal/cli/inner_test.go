package cli

// What the tests of package cli_test see of the package.
var (
	WriteRulesPage = writeRulesPage
	Distance       = distance
)
