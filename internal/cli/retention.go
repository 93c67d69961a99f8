package cli

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/shakescope/shakescope/recordings"
)

// retentionVariable changes what is kept, for all runs and for prune.
const retentionVariable = "SHAKESCOPE_RETENTION"

// retentionFlag is how long recordings are kept: an age, a size, both, or off. What is not named does not
// limit.
type retentionFlag struct {
	text string
	recordings.Retention
}

func (r *retentionFlag) String() string { return r.text }
func (r *retentionFlag) Type() string   { return "AGE,SIZE|off" }

func (r *retentionFlag) Set(text string) error {
	keep, err := parseRetention(text)
	r.text, r.Retention = text, keep
	return err
}

func parseRetention(text string) (keep recordings.Retention, err error) {
	if text == "off" {
		return keep, nil
	}
	bad := fmt.Errorf("%q is neither `off` nor an age and a size such as 30d,5GB", text)
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
	for _, word := range words {
		if strings.Trim(word, "0123456789.") == "" {
			return recordings.Retention{}, bad // 30: days or bytes?
		}
		if age, err := parseAge(word); err == nil && keep.Age == 0 {
			keep.Age = max(age, 1)
		} else if size, err := parseSize(word); err == nil && keep.Total == 0 {
			keep.Total = max(size, 1)
		} else {
			return recordings.Retention{}, bad
		}
	}
	if len(words) == 0 {
		return keep, bad
	}
	return keep, nil
}

// retention is what the environment says of it, or the default.
func retention() (recordings.Retention, error) {
	text, ok := os.LookupEnv(retentionVariable)
	if !ok || text == "" {
		return recordings.DefaultRetention, nil
	}
	keep, err := parseRetention(text)
	if err != nil {
		return keep, fmt.Errorf("%s: %w", retentionVariable, err)
	}
	return keep, nil
}

// retentionText says what is kept.
func retentionText(keep recordings.Retention) string {
	var limits []string
	if keep.Age > 0 {
		limits = append(limits, ageText(keep.Age.Truncate(time.Second)))
	}
	if keep.Total > 0 {
		limits = append(limits, sizeText(keep.Total))
	}
	if limits == nil {
		return "no limit"
	}
	return strings.Join(limits, ", ")
}

// retain removes what is not to be kept of a folder. It is housekeeping beside a run: nobody waits for it,
// and what cannot be removed today stays.
func retain(dir string, keep recordings.Retention) {
	d := recordings.Folder{Dir: dir}
	if keep == (recordings.Retention{}) || !d.MayExceed(keep, time.Now()) {
		return
	}
	excess, _, err := d.Excess(keep, time.Now())
	if err != nil {
		return
	}
	for i := range excess {
		_ = excess[i].Remove()
	}
}
