package annotate

import "strings"

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// pointer appends members to a JSON pointer.
func pointer(base string, keys ...string) string {
	for _, key := range keys {
		base += "/" + pointerEscapes.Replace(key)
	}
	return base
}
