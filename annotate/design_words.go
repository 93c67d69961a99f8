package annotate

import (
	"strings"
	"sync"
	"unicode"
)

// The verbs that tools begin their names with. What is not among them says nothing.
var (
	readVerbs = wordSet(`get list read search find query fetch show describe view count check explain inspect lookup retrieve select stat status
		validate verify preview browse diff compare download tail peek resolve summarize watch`)
	writeVerbs = wordSet(`create update write add insert edit set put patch save upload send reply forward move rename copy append replace merge push
		commit fork deploy publish schedule assign mark enable disable start stop restart import install approve apply execute close submit mkdir touch`)
	destroyVerbs = wordSet(`delete remove drop purge destroy truncate wipe erase kill terminate revoke uninstall unlink rm clear overwrite reset`)
)

// wordSet is made when it is first needed, like [lazily].
func wordSet(words string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		set := make(map[string]bool)
		for w := range strings.FieldsSeq(words) {
			set[w] = true
		}
		return set
	})
}

// effect is what a name says that a tool does.
type effect uint8

const (
	unsaid effect = iota
	reads
	writes
	destroys
)

// effectOf goes by the first verb of a name: get_update_status reads. Only the first three words are
// looked at, for prefixes such as that of the server.
func effectOf(name string) (effect, string) {
	for i, w := range nameWords(name) {
		switch {
		case i > 2:
			return unsaid, ""
		case readVerbs()[w]:
			return reads, w
		case destroyVerbs()[w]:
			return destroys, w
		case writeVerbs()[w]:
			return writes, w
		}
	}
	return unsaid, ""
}

// nameWords splits a name at what is no letter and where capitals begin, and lowers it.
func nameWords(name string) []string {
	var words []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	lower := false
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r):
			end()
			lower = false
			continue
		case unicode.IsUpper(r) && lower:
			end()
		}
		word = append(word, r)
		lower = unicode.IsLower(r)
	}
	end()
	return words
}

// hasWords reports whether the words stand in a name one after the other.
func hasWords(name []string, words ...string) bool {
	for i := 0; i+len(words) <= len(name); i++ {
		same := true
		for j, w := range words {
			same = same && name[i+j] == w
		}
		if same {
			return true
		}
	}
	return false
}

// isSecretName reports whether an argument is named like a credential.
func isSecretName(name string) bool {
	w := nameWords(name)
	if len(w) == 0 {
		return false
	}
	switch last := w[len(w)-1]; last {
	case "password", "passwd", "passphrase", "secret", "apikey", "credential", "credentials":
		return true
	case "token":
		return len(w) == 1 || w[len(w)-2] != "page" && w[len(w)-2] != "continuation" && w[len(w)-2] != "next" && w[len(w)-2] != "sync" && w[len(w)-2] != "cursor" && w[len(w)-2] != "progress"
	}
	return hasWords(w, "api", "key") || hasWords(w, "private", "key") || hasWords(w, "secret", "key") || hasWords(w, "access", "key") || hasWords(w, "card", "number")
}

// isRehearsal reports whether an argument makes a call only say what it would do.
func isRehearsal(name string) bool {
	w := nameWords(name)
	return hasWords(w, "dry", "run") || hasWords(w, "dryrun") || hasWords(w, "preview") || hasWords(w, "simulate") || hasWords(w, "what", "if") || hasWords(w, "check", "only") || hasWords(w, "validate", "only")
}

// isConfirmation reports whether an argument asks for consent.
func isConfirmation(name string) bool {
	w := nameWords(name)
	return hasWords(w, "confirm") || hasWords(w, "confirmed") || hasWords(w, "confirmation") || hasWords(w, "force")
}

// isPaging reports whether an argument limits how much comes back.
func isPaging(name string) bool {
	for _, w := range nameWords(name) {
		switch w {
		case "cursor", "page", "offset", "limit", "head", "tail", "max", "skip", "top", "start", "first", "last", "count", "size", "range", "pagination", "truncate":
			return true
		}
	}
	return false
}
