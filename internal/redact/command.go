package redact

import "bytes"

// Command masks the secrets in a command line: values of flags and assignments, URLs, tokens, names in
// home paths. The slice is new.
func (r *Redactor) Command(words []string) []string {
	out := make([]string, len(words))
	flag := ""
	for i, word := range words {
		switch {
		case flag != "" && !isFlag([]byte(word)) && !isPlaceholder(word) && word != "":
			out[i] = r.wholeWord(word, flag)
			flag = ""
			continue
		case len(word) > 1 && word[0] == '-' && r.isSecret([]byte(word)):
			flag = word
			out[i] = word
			continue
		}
		flag = ""
		out[i] = r.word(word)
	}
	return out
}

// word masks one word, in which "name=value" needs no second look at the value.
func (r *Redactor) word(word string) string {
	if name, value, ok := bytes.Cut([]byte(word), []byte("=")); ok && r.isSecret(name) && !isPlaceholder(string(value)) {
		return string(name) + "=" + r.wholeWord(string(value), string(name))
	}
	return r.Text(word)
}

func (r *Redactor) wholeWord(value, name string) string {
	kind := r.kindOf([]byte(name))
	r.note(value, kind, true)
	return string(r.appendMask(nil, &span{to: len(value), kind: kind, text: value}, []byte(value)))
}
