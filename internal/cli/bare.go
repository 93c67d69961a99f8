package cli

// bareStart is what shakescope does without a word: the list of recordings.
func (a *app) bareStart() error {
	return a.root.Help()
}
