package compare

import (
	"testing"
)

// TestVolatile holds what counts as new in every run, and what does not although it looks a little like it.
func TestVolatile(t *testing.T) {
	for _, c := range []struct {
		text, want string
		asked      bool // in params, where durations mean something
	}{
		{text: "no digits at all", want: "no digits at all"},
		{text: "7d9f0b52-6a6e-4f0e-9a70-5a0b0d6c1f11", want: "<id>"},
		{text: "task-7d9f0b52-6a6e-4f0e-9a70-5a0b0d6c1f11.json", want: "task-<id>.json"},
		{text: "at 2026-11-30T01:42:48.123Z", want: "at <time>"},
		{text: "at 2026-11-30 01:42:48,123+01:00!", want: "at <time>!"},
		{text: "Mon, 30 Nov 2026 01:42:48 GMT", want: "<time>"},
		{text: "Mon Nov 30 2026 01:42:48 GMT+0000 (UTC)", want: "<time> (UTC)"},
		{text: "created at 8:28:50 PM", want: "created at <time> PM"},
		{text: "on 2026-11-30", want: "on 2026-11-30"}, // a date is data
		{text: "Mon 12", want: "Mon 12"},
		{text: "1764466968123", want: "<time>"},
		{text: "order 1764466968", want: "order 1764466968"},
		{text: "took 12.5 ms, then 3s", want: "took <duration>, then <duration>"},
		{text: "wait 3s", want: "wait 3s", asked: true},
		{text: "12 monkeys, 3 sisters, 5 m", want: "12 monkeys, 3 sisters, 5 m"},
		{text: "http://localhost:43117/x", want: "http://localhost:<port>/x"},
		{text: "http://[::1]:8080/", want: "http://[::1]:<port>/"},
		{text: "https://example.org:8443/", want: "https://example.org:8443/"},
		{text: "pid 4711 and PID: 4712", want: "pid <pid> and PID: <pid>"},
		{text: "/tmp/mcp-Xy12ab/log.txt", want: "<tmp>/log.txt"},
		{text: "/tmp/TestX123/001/log.txt", want: "<tmp>/log.txt"},
		{text: "/var/folders/ab/cd_34/T/mcp-x/a", want: "<tmp>/a"},
		{text: `C:\Users\me\AppData\Local\Temp\mcp-1\a`, want: `C:\Users\me\AppData\Local<tmp>\a`},
		{text: "/home/me/tmp2/a1", want: "/home/me/tmp2/a1"},
		{text: "5f4dcc3b5aa765d61d8327deb882cf99", want: "<id>"},
		{text: "commit da39a3ee5e6b4b0d3255bfef95601890afd80709", want: "commit da39a3ee5e6b4b0d3255bfef95601890afd80709"}, // of contents
		{text: "01ARZ3NDEKTSV4RRFFQ69G5FAV", want: "<id>"},
		{text: "toolu_01A09q90qw90lq917835lq9", want: "<id>"},
		{text: "snake_case_name_2", want: "snake_case_name_2"},
		{text: "version 1.2.3 of 2025-11-25", want: "version 1.2.3 of 2025-11-25"},
		{text: "The sum of 2 and 40 is 42.", want: "The sum of 2 and 40 is 42."},
		{text: "10.0.0.1", want: "10.0.0.1"},
		{text: "é1\xff2", want: "é1\xff2"},
	} {
		got := string(steady{took: !c.asked}.text(nil, []byte(c.text)))
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
		if exact := string(steady{exact: true}.text(nil, []byte(c.text))); exact != c.text {
			t.Errorf("exact %q: %q", c.text, exact)
		}
	}
}

// TestDigest holds which payloads are the same.
func TestDigest(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		asked bool
		same  bool
	}{
		{a: `{"a":1,"b":[1,2]}`, b: ` { "b" : [1, 2] , "a" : 1.0 } `, same: true},
		{a: `{"a":1}`, b: `{"a":2}`},
		{a: `[1,2]`, b: `[2,1]`},
		{a: `{"a":{"b":1}}`, b: `{"b":{"a":1}}`},
		{a: `[[1],2]`, b: `[1,[2]]`},
		{a: `"a\u0041"`, b: `"aA"`, same: true},
		{a: `"1"`, b: `1`},
		{a: `{"_meta":{"progressToken":1},"x":1}`, b: `{"_meta":{"progressToken":"p"},"x":1}`, same: true},
		{a: `{"cursor":"a"}`, b: `{"cursor":"b"}`, same: true},
		{a: `{"timestamp":1,"duration_ms":2.5}`, b: `{"timestamp":2,"duration_ms":3}`, same: true},
		{a: `{"duration":1}`, b: `{"duration":2}`, asked: true},
		{a: `{"total":1764466968123}`, b: `{"total":1764466968999}`, same: true},
		{a: `{"text":"{\"took\":\"3 ms\",\"n\":1}"}`, b: `{"text":"{\"n\":1,\"took\":\"14 ms\"}"}`, same: true},
		{a: `{"text":"{\"n\":1}"}`, b: `{"text":"{\"n\":2}"}`},
		{a: `{}`, b: `[]`},
		{a: `null`, b: `false`},
		{a: `""`, b: `null`},
	} {
		st := steady{took: !c.asked}
		if got := st.digest([]byte(c.a)) == st.digest([]byte(c.b)); got != c.same {
			t.Errorf("%s and %s: same %t, want %t", c.a, c.b, got, c.same)
		}
		d := differ{steady: st, most: 5}
		d.raw([]byte(c.a), []byte(c.b))
		if got := len(d.out) == 0; got != c.same {
			t.Errorf("%s and %s: differences %v, same %t", c.a, c.b, d.out, c.same)
		}
	}
}

// FuzzDigest holds that digest and differences agree on what is the same, and that neither leaves its input.
func FuzzDigest(f *testing.F) {
	for _, s := range []string{`{"a":[1,"x 12:00:00",{"b":null}]}`, `"{\"a\":1}"`, `[1.0,1e400,"\ud800"]`, `{"a":1,"a":2}`, `{`, `[1,`, `"\`} {
		f.Add(s, s+" ")
		f.Add(s, `{"b":1}`)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, st := range []steady{{}, {took: true}, {exact: true}} {
			if first, again := st.digest([]byte(a)), st.digest([]byte(a)); first != again {
				t.Fatal("a digest is not the same twice")
			}
			st.digest([]byte(b))
			d := differ{steady: st, most: 3}
			d.raw([]byte(a), []byte(a))
			if len(d.out) > 0 {
				t.Fatalf("%q differs from itself: %v", a, d.out)
			}
			d.raw([]byte(a), []byte(b))
			if len(d.out) > 3 {
				t.Fatal("too many differences")
			}
		}
	})
}
