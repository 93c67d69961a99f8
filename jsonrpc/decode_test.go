package jsonrpc

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const head = `{"jsonrpc":"2.0",`

func TestDecodeKinds(t *testing.T) {
	tests := []struct {
		data   string
		kind   Kind
		reason Reason
		offset int
	}{
		{``, Blank, "", 0},
		{" \t\r", Blank, "", 0},
		{head + `"id":1,"method":"a"}`, Request, "", 0},
		{head + `"id":"","method":""}`, Request, "", 0},
		{head + `"id":1.5,"method":"a","params":[]}`, Request, "", 0},
		{head + `"id":1,"method":"a","result":{},"error":5}`, Request, "", 0}, // the method decides
		{head + `"method":"a"}`, Notification, "", 0},
		{head + `"id":1,"result":null}`, Response, "", 0},
		{head + `"id":1,"error":{"code":-1,"message":""}}`, Error, "", 0},
		{head + `"id":null,"error":{"code":-32700,"message":"x"}}`, Error, "", 0},
		{head + `"id":1,"error":{"code":99999999999999999999999,"message":"x"}}`, Error, "", 0},
		{`{"jsonrpc":"\u0032.0","id":1,"m\u0065thod":"a"}`, Request, "", 0},
		{`[` + head + `"method":"a"}]`, Batch, "", 0},
		{`[1]`, Batch, "", 0},

		{"\xFF", Invalid, NotUTF8, 0},
		{head + `"id":1,"method":"a","params":{"x":"` + "\xC3\x28" + `"}}`, Invalid, NotUTF8, 52},
		{`"` + "\xED\xA0\x80" + `"`, Invalid, NotUTF8, 1}, // a surrogate in UTF-8
		{`{"a":"` + "\xF0\x9F\x98", Invalid, NotUTF8, 6},
		{"\xEF\xBB\xBF" + head + `"id":1,"method":"a"}`, Invalid, NotJSON, 0},
		{`hello`, Invalid, NotJSON, 0},
		{`  hello`, Invalid, NotJSON, 2},
		{`nul`, Invalid, NotJSON, 3},
		{`not`, Invalid, NotJSON, 1},
		{`{"a":NaN}`, Invalid, NotJSON, 5},
		{`{"a":-Infinity}`, Invalid, NotJSON, 6},
		{`{'a':1}`, Invalid, NotJSON, 1},
		{`{"a":1,}`, Invalid, NotJSON, 6},
		{`[1,]`, Invalid, NotJSON, 2},
		{`{"a" 1}`, Invalid, NotJSON, 5},
		{`{"a":1 "b":2}`, Invalid, NotJSON, 7},
		{`{"a":01}`, Invalid, NotJSON, 6},
		{`{"a":1.}`, Invalid, NotJSON, 7},
		{`{"a":"x` + "\t" + `"}`, Invalid, NotJSON, 7},
		{`{"a":"\x"}`, Invalid, NotJSON, 6},
		{`{"a":"\u12G4"}`, Invalid, NotJSON, 6},
		{`{"a":[1,2`, Invalid, NotJSON, 9},
		{`{"a":"xy`, Invalid, NotJSON, 8},
		{`{"a":1}}`, Invalid, NotJSON, 7},
		{`[1] 2`, Invalid, NotJSON, 4},
		{`{]`, Invalid, NotJSON, 1},
		{`[}`, Invalid, NotJSON, 1},
		{`// a comment`, Invalid, NotJSON, 0},
		{"\x00", Invalid, NotJSON, 0},
		{`[]`, Invalid, EmptyBatch, 0},
		{` [ ] `, Invalid, EmptyBatch, 1},
		{`null`, Invalid, NotObject, 0},
		{`-0`, Invalid, NotObject, 0},
		{` "x" `, Invalid, NotObject, 1},
		{`{}`, Invalid, BadVersion, 0},
		{`{"jsonrpc":"1.0","id":1,"method":"a"}`, Invalid, BadVersion, 11},
		{`{"jsonrpc":2.0,"id":1,"method":"a"}`, Invalid, BadVersion, 11},
		{`{"jsonrpc":2,"id":1,"method":"a"}`, Invalid, BadVersion, 11},
		{`{"jsonrpc":"2.0 ","id":1,"method":"a"}`, Invalid, BadVersion, 11},
		{`{"JSONRPC":"2.0","id":1,"method":"a"}`, Invalid, BadVersion, 0},
		{` {"id":true,"method":5}`, Invalid, BadVersion, 1}, // the version is tested first
		{head + `"id":true,"method":5}`, Invalid, BadMethod, 36},
		{head + `"method":null}`, Invalid, BadMethod, 26},
		{head + `"id":null,"method":"a"}`, Invalid, BadID, 22},
		{head + `"id":[1],"method":"a"}`, Invalid, BadID, 22},
		{head + `"id":{},"result":1}`, Invalid, BadID, 22},
		{head + `"id":null,"result":1}`, Invalid, BadID, 22},
		{head + `"id":false,"error":{"code":1,"message":"x"}}`, Invalid, BadID, 22},
		{head + `"result":1}`, Invalid, BadID, 0},
		{head + `"error":{"code":1,"message":"x"}}`, Invalid, BadID, 0},
		{head + `"id":1,"result":1,"error":1}`, Invalid, ResultAndErr, 43},
		{head + `"error":1,"result":1}`, Invalid, ResultAndErr, 36},
		{head + `"id":true}`, Invalid, NoContent, 0},
		{head + `"id":1,"error":null}`, Invalid, BadError, 32},
		{head + `"id":1,"error":"x"}`, Invalid, BadError, 32},
		{head + `"id":1,"error":{}}`, Invalid, BadError, 32},
		{head + `"id":1,"error":{"code":1}}`, Invalid, BadError, 32},
		{head + `"id":1,"error":{"message":"x"}}`, Invalid, BadError, 32},
		{head + `"id":1,"error":{"code":"1","message":"x"}}`, Invalid, BadError, 40},
		{head + `"id":1,"error":{"code":1.0,"message":"x"}}`, Invalid, BadError, 40},
		{head + `"id":1,"error":{"code":1e3,"message":"x"}}`, Invalid, BadError, 40},
		{head + `"id":1,"error":{"code":true,"message":"x"}}`, Invalid, BadError, 40},
		{head + `"id":1,"error":{"code":1,"message":null}}`, Invalid, BadError, 52},
	}
	for _, test := range tests {
		m := Decode([]byte(test.data))
		if m.Kind != test.kind || m.Reason != test.reason || m.Offset != test.offset {
			t.Errorf("%q: kind %d %q at %d, want %d %q at %d", test.data, m.Kind, m.Reason, m.Offset, test.kind, test.reason, test.offset)
		}
	}
}

func TestDecodeContent(t *testing.T) {
	data := []byte(` {"params":{"a": [1]},"id":"\u0031","jsonrpc":"2.0","method":"a\/b"} `)
	m := Decode(data)
	if m.Kind != Request || m.Method != "a/b" || m.ID.Raw() != `"\u0031"` || string(m.Params) != `{"a": [1]}` || m.Result != nil || m.Err != nil {
		t.Errorf("request: %+v", m)
	}
	if &m.Params[0] != &data[11] || &m.Raw[0] != &data[1] || len(m.Raw) != len(data)-2 {
		t.Error("the slices do not point into the data")
	}
	m = Decode([]byte(head + `"id":7,"error":{"data":{"x":1},"message":"a\nb","code":-32601,"more":1}}`))
	want := &ErrorObject{Code: -32601, Message: "a\nb", Data: []byte(`{"x":1}`), Raw: []byte(`{"data":{"x":1},"message":"a\nb","code":-32601,"more":1}`)}
	if diff := cmp.Diff(want, m.Err); diff != "" {
		t.Error(diff)
	}
	for text, code := range map[string]int64{"99999999999999999999": math.MaxInt64, "-99999999999999999999": math.MinInt64, "-0": 0} {
		if m := Decode([]byte(head + `"id":7,"error":{"message":"","code":` + text + `}}`)); m.Kind != Error || m.Err.Code != code {
			t.Errorf("code %s: %+v", text, m.Err)
		}
	}
}

// What can be read of an invalid frame is there, so that it can be matched with its other half.
func TestDecodeLenient(t *testing.T) {
	tests := []struct{ data, id, method, params, result string }{
		{"\xEF\xBB\xBF" + head + `"id":1,"method":"a","params":{}}`, "1", "a", "{}", ""},
		{head + `"id":1,"method":"a","params":{"x":"` + "\xFF" + `"}}`, "1", "a", `{"x":"` + "\xFF" + `"}`, ""},
		{head + `"id":1,"method":"a","params":{"x":`, "1", "a", "", ""},
		{head + `"id":1,"method":"a"}{"id":2}`, "1", "a", "", ""},
		{head + `"id":1,"result":{"x":1},"y":NaN}`, "1", "", "", `{"x":1}`},
		{`{"id":1,"method":"a"}`, "1", "a", "", ""},
		{head + `"id":null,"method":"a"}`, "null", "a", "", ""},
		{head + `"id":1,"method":5,"params":[1]}`, "1", "", "[1]", ""},
		{head + `"id":1,"result":{},"error":{}}`, "1", "", "", "{}"},
		{head + `"id":1,"id":2,"method":"a","method":"b","params":1,"params":{}}`, "2", "b", "{}", ""}, // the last one counts
		{`hello`, "", "", "", ""},
	}
	for _, test := range tests {
		m := Decode([]byte(test.data))
		if m.ID.Raw() != test.id || m.Method != test.method || string(m.Params) != test.params || string(m.Result) != test.result {
			t.Errorf("%q: id %s method %q params %s result %s", test.data, m.ID.Raw(), m.Method, m.Params, m.Result)
		}
	}
	m := Decode([]byte(head + `"id":1,"error":{"code":-5,"message":["x"]}}`))
	if m.Err == nil || m.Err.Code != -5 || m.Err.Message != "" {
		t.Errorf("a bad error object: %+v", m.Err)
	}
}

func TestDecodeBatch(t *testing.T) {
	data := ` [` + head + `"id":1,"method":"a"}, 5 ,[{"method":"x"}],` + head + `"id":1,"id":2,"result":{"a":{"k":1,"k":2}}},{}] `
	m := Decode([]byte(data))
	if m.Kind != Batch || string(m.Raw) != strings.TrimSpace(data) {
		t.Fatalf("%+v", m)
	}
	if diff := cmp.Diff([]Defect{{Kind: EdgeSpace, Offset: 0}}, m.Defects); diff != "" {
		t.Error(diff)
	}
	third := strings.Index(data, `{"jsonrpc":"2.0","id":1,"id"`)
	wants := []struct {
		kind    Kind
		reason  Reason
		raw     string
		offset  int
		defects []Defect
	}{
		{Request, "", head + `"id":1,"method":"a"}`, 0, nil},
		{Invalid, NotObject, "5", 41, nil},
		{Invalid, NotObject, `[{"method":"x"}]`, 44, nil},
		{Response, "", head + `"id":1,"id":2,"result":{"a":{"k":1,"k":2}}}`, 0, []Defect{
			{Kind: DuplicateKey, Offset: third + 24, Detail: "id"},
			{Kind: DuplicateKey, Offset: strings.Index(data, `"k":2`), Path: "/result/a", Detail: "k"}}},
		{Invalid, BadVersion, "{}", strings.LastIndex(data, "{}"), []Defect{{Kind: MissingVersion, Offset: strings.LastIndex(data, "{}")}}},
	}
	if len(m.Members) != len(wants) {
		t.Fatalf("%d members", len(m.Members))
	}
	for i, want := range wants {
		got := m.Members[i]
		if got.Kind != want.kind || got.Reason != want.reason || string(got.Raw) != want.raw || got.Offset != want.offset {
			t.Errorf("member %d: %d %q %s at %d, want %+v", i, got.Kind, got.Reason, got.Raw, got.Offset, want)
		}
		if diff := cmp.Diff(want.defects, got.Defects); diff != "" {
			t.Errorf("member %d: %s", i, diff)
		}
	}
}

func TestDecodeHugeBatch(t *testing.T) {
	for _, duplicate := range []string{"", `{"a":1,"a":1},`} { // both ways through the decoder
		data := "[" + duplicate + strings.TrimSuffix(strings.Repeat("1,", MaxMembers+10), ",") + "]"
		m := Decode([]byte(data))
		beyond := 10
		if duplicate != "" {
			beyond = 11
		}
		want := []Defect{{Kind: TooManyMembers, Offset: len(data) - 2*beyond, Detail: strconv.Itoa(beyond)}}
		if diff := cmp.Diff(want, m.Defects); diff != "" || len(m.Members) != MaxMembers || m.Kind != Batch {
			t.Errorf("kind %d, %d members: %s", m.Kind, len(m.Members), diff)
		}
	}
}

func TestDefects(t *testing.T) {
	call := head + `"id":1,"method":"a"` // 35 bytes
	tests := []struct {
		data string
		want []Defect
	}{
		{call + `}`, nil},
		{call + `,"params":{"a":1,"b":{"c":1,"c":2},"\u0061":3}}`, []Defect{
			{Kind: DuplicateKey, Offset: 64, Path: "/params/b", Detail: "c"},
			{Kind: DuplicateKey, Offset: 71, Path: "/params", Detail: "a"}}},
		{call + `,"params":{"x/y~":[0,{"k":1,"k":1}]}}`, []Defect{{Kind: DuplicateKey, Offset: 64, Path: "/params/x~1y~0/1", Detail: "k"}}},
		{"\xEF\xBB\xBF" + call + `}`, []Defect{{Kind: BOM}}},
		{call + `,"params":{"a":"` + "\xFF" + `"}}`, []Defect{{Kind: BadUTF8, Offset: 52}}},
		{"\xEF\xBB\xBF" + call + `,"params":{"a":"` + "\xFF" + `"}}`, []Defect{{Kind: BadUTF8, Offset: 55}, {Kind: BOM}}},
		{call + `} x`, []Defect{{Kind: TrailingBytes, Offset: 38}}},
		{call + `}{}`, []Defect{{Kind: TrailingBytes, Offset: 37}}},
		{" " + call + `} `, []Defect{{Kind: EdgeSpace, Offset: 0}}},
		{call + "}\t", []Defect{{Kind: EdgeSpace, Offset: 37}}},
		{head + `"id":null,"method":"a"}`, []Defect{{Kind: IDType, Offset: 22, Detail: "null"}}},
		{head + `"id":null,"error":{"code":1,"message":""}}`, nil},
		{head + `"id":true,"method":"a"}`, []Defect{{Kind: IDType, Offset: 22, Detail: "bool"}}},
		{head + `"id":[],"method":"a"}`, []Defect{{Kind: IDType, Offset: 22, Detail: "array"}}},
		{head + `"id":{},"method":"a"}`, []Defect{{Kind: IDType, Offset: 22, Detail: "object"}}},
		{head + `"id":1.5,"method":"a"}`, []Defect{{Kind: IDType, Offset: 22, Detail: "fraction"}}},
		{head + `"id":1.0,"method":"a"}`, nil},
		{` {"id":1,"method":"a"}`, []Defect{{Kind: MissingVersion, Offset: 1}, {Kind: EdgeSpace}}},
		{`{"jsonrpc": "1.0","id":1,"method":"a"}`, []Defect{{Kind: WrongVersion, Offset: 12, Detail: `"1.0"`}}},
		{`{"jsonrpc":2.0,"id":1,"method":"a"}`, []Defect{{Kind: WrongVersion, Offset: 11, Detail: `2.0`}}},
		{call + `,"extra":1}`, []Defect{{Kind: ExtraMember, Offset: 37, Detail: "extra"}}},
		{call + `,"result":1}`, []Defect{{Kind: ExtraMember, Offset: 46, Detail: "result"}}},
		{head + `"id":1,"result":1,"params":{}}`, []Defect{{Kind: ExtraMember, Offset: 44, Detail: "params"}}},
		{call + `,"params":null}`, []Defect{{Kind: ParamsType, Offset: 46, Detail: "null"}}},
		{call + `,"params":"x"}`, []Defect{{Kind: ParamsType, Offset: 46, Detail: "string"}}},
		{call + `,"params":-1}`, []Defect{{Kind: ParamsType, Offset: 46, Detail: "number"}}},
		{call + `,"params":false}`, []Defect{{Kind: ParamsType, Offset: 46, Detail: "bool"}}},
		{call + `,"params":[]}`, []Defect{{Kind: ParamsType, Offset: 46, Detail: "array"}}},
		{call + `,"Params":{}}`, []Defect{{Kind: CaseVariant, Offset: 37, Detail: "Params"}}},
		{head + `"ID":1,"method":"a"}`, []Defect{{Kind: CaseVariant, Offset: 17, Detail: "ID"}}},
		{head + `"ıd":1,"method":"a"}`, []Defect{{Kind: ExtraMember, Offset: 17, Detail: "ıd"}}},
		{call + `,"params":{"a":"\ud83d x","b":"\ud83d\ude00"}}`, []Defect{{Kind: LoneSurrogate, Offset: 52}}},
		{call + `,"params":{"\ude00":1}}`, []Defect{{Kind: LoneSurrogate, Offset: 48}}},
		{call + `,"params":{"a":"\\ud83d"}}`, nil},
		{head + `"id":"a\u0000","method":"b\u0000"}`, []Defect{{Kind: NUL, Offset: 24}, {Kind: NUL, Offset: 43}}},
		{call + `,"x\u0000":1}`, []Defect{{Kind: NUL, Offset: 39}, {Kind: ExtraMember, Offset: 37, Detail: "x\x00"}}},
		{call + `,"params":{"a":"\u0000"}}`, nil}, // inside a payload it is data
		{call + `,"params":"` + "\x00" + `"}`, []Defect{{Kind: NUL, Offset: 47}}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, Decode([]byte(test.data)).Defects); diff != "" {
			t.Errorf("%q: %s", test.data, diff)
		}
	}
}

func TestDefectsAreBounded(t *testing.T) {
	long := strings.Repeat("é", 1_000)
	data := head + `"id":1,"method":"a"` + strings.Repeat(`,"`+long+`":1`, 1_000) + `}`
	m := Decode([]byte(data))
	if m.Kind != Request {
		t.Fatalf("%+v", m.Reason)
	}
	counts := map[DefectKind]int{}
	for _, d := range m.Defects {
		counts[d.Kind]++
		if len(d.Detail) > maxDetail+len("…") || !strings.HasSuffix(d.Detail, "é…") {
			t.Errorf("detail of %d bytes: %q", len(d.Detail), d.Detail)
		}
	}
	if len(m.Defects) > maxDefects+4 || counts[DuplicateKey] == 0 || counts[DuplicateKey] > maxDuplicates {
		t.Errorf("%d defects, %v", len(m.Defects), counts)
	}
}

func TestDepth(t *testing.T) {
	nest := func(open, inside, close string, n int) string {
		return strings.Repeat(open, n) + inside + strings.Repeat(close, n)
	}
	for _, test := range []struct {
		name string
		data string
		kind Kind
		at   int
	}{
		{"arrays, deepest", head + `"method":"a","params":` + nest("[", "", "]", maxDepth-1) + `}`, Notification, -1},
		{"objects, deepest", head + `"method":"a","params":` + nest(`{"a":`, "1", "}", maxDepth-1) + `}`, Notification, -1},
		{"arrays, too deep", head + `"id":1,"method":"a","params":` + nest("[", "", "]", maxDepth) + `}`, Invalid, 46 + maxDepth - 1},
		{"objects, too deep", head + `"id":1,"method":"a","params":` + nest(`{"a":`, "1", "}", maxDepth) + `}`, Invalid, 46 + 5*(maxDepth-1)},
		{"only brackets", strings.Repeat("[", 1_000_000), Invalid, maxDepth},
		{"with a duplicate key", head + `"id":1,"id":1,"method":"a","params":` + nest("[", "", "]", maxDepth) + `}`, Invalid, 53 + maxDepth - 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := Decode([]byte(test.data))
			if m.Kind != test.kind {
				t.Fatalf("kind %d, reason %s", m.Kind, m.Reason)
			}
			if test.kind != Invalid {
				if !Valid([]byte(test.data)) {
					t.Error("not Valid")
				}
				return
			}
			if Valid([]byte(test.data)) {
				t.Error("Valid")
			}
			if m.Reason != NotJSON || m.Offset != test.at {
				t.Errorf("%s at %d, want not_json at %d", m.Reason, m.Offset, test.at)
			}
			if i := len(m.Defects) - 1; i < 0 || !hasDefect(m, TooDeep, test.at) {
				t.Errorf("defects %+v", m.Defects)
			}
			if strings.HasPrefix(test.data, "{") && m.ID.Raw() != "1" {
				t.Errorf("id %q", m.ID.Raw())
			}
		})
	}
}

func hasDefect(m Message, kind DefectKind, offset int) bool {
	for _, d := range m.Defects {
		if d.Kind == kind && d.Offset == offset {
			return true
		}
	}
	return false
}

func TestDecodeAllocations(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector empties pools at random")
	}
	for _, data := range []string{
		head + `"id":1234567,"method":"tools/call","params":{"name":"echo","arguments":{"x":[1,2,{"y":"z"}]}}}`,
		head + `"id":"abc","result":{"content":[{"type":"text","text":"hello"}]}}`,
	} {
		line := []byte(data)
		Decode(line)
		// The pool may be emptied by a garbage collection in between, hence the average over many.
		if n := testing.AllocsPerRun(1_000, func() { Decode(line) }); n > 2 {
			t.Errorf("%v allocations for %s", n, data)
		}
	}
}

// FuzzDecode: decoding never fails, keeps the text of ids, points into the data only, and says the
// same whether it took the quick or the thorough way.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		head + `"id":1,"method":"a","params":{"x":[1,{"y":null}]}}`,
		`[` + head + `"method":"a"},5,[],{"a":1,"a":2}]`,
		"\xEF\xBB\xBF" + head + `"id":"\ud800","error":{"code":1,"message":"x"}}`,
		head + `"id":1e999999999,"result":"` + "\xFF" + `"} x`,
		` {"jsonrpc":"2.0","ID":1,"method":"\u0000"`,
		"\x00", "[[[[", `"\u12`, " \r\t", `{"a":{"b":`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		kept := bytes.Clone(data)
		m := Decode(data)
		if !bytes.Equal(kept, data) {
			t.Fatal("the data was changed")
		}
		if (m.Kind == Invalid) != (m.Reason != "") {
			t.Fatalf("kind %d with reason %q", m.Kind, m.Reason)
		}
		if valid := Valid(data); valid != (m.Kind != Blank && m.Reason != NotUTF8 && m.Reason != NotJSON) {
			t.Fatalf("Valid is %v, reason %q", valid, m.Reason)
		}
		checkMessage(t, data, m)
		again := DecodeSound(data)
		if diff := cmp.Diff(m, again, cmp.AllowUnexported(ID{})); m.Sound() && diff != "" {
			t.Fatalf("decoded again it differs: %s", diff)
		}
		for _, member := range m.Members {
			checkMessage(t, data, member)
		}
		if m.Kind == Blank {
			return
		}
		r := readers.Get().(*reader)
		thorough := r.inspect(data)
		r.release()
		if diff := cmp.Diff(m, thorough, cmp.AllowUnexported(ID{})); diff != "" {
			t.Fatalf("the two ways differ: %s", diff)
		}
	})
}

func checkMessage(t *testing.T, data []byte, m Message) {
	t.Helper()
	for _, raw := range [][]byte{m.Raw, m.Params, m.Result} {
		if !bytes.Contains(data, raw) {
			t.Fatalf("%q is not in the data", raw)
		}
	}
	if m.Offset < 0 || m.Offset > len(data) {
		t.Fatalf("offset %d", m.Offset)
	}
	for _, d := range m.Defects {
		if d.Offset < 0 || d.Offset > len(data) {
			t.Fatalf("offset of %+v", d)
		}
	}
	if !strings.Contains(string(data), m.ID.Raw()) {
		t.Fatalf("the text of id %q is not in the data", m.ID.Raw())
	}
	if again := ParseID([]byte(m.ID.Raw())); again != m.ID {
		t.Fatalf("id %+v, parsed again %+v", m.ID, again)
	}
}
