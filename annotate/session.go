package annotate

// Update is what one record, or the end, brought about. Its slices are valid until the next call on
// the Session; entries and what they point to may be kept, except Raw and Message.
type Update struct {
	Entries []Entry
	Patches []Patch
	// Findings that belong to the recording as a whole.
	Findings []Finding
}
