package schemaguard

// tableSchemas ask for each keyword, alone and with those it works together with. In dialects that do not
// have it, it means nothing or is something else: that is the point.
var tableSchemas = []string{
	`{}`, `{"title":"x","description":"y","default":1,"examples":[1]}`,
	`{"type":"object"}`, `{"type":"array"}`, `{"type":"string"}`, `{"type":"number"}`, `{"type":"integer"}`, `{"type":"boolean"}`, `{"type":"null"}`,
	`{"type":["string","null"]}`, `{"type":["integer","number"]}`, `{"type":[]}`, `{"type":["null","null"]}`, `{"type":"int"}`, `{"type":1}`, `{"type":["string",1]}`,
	`{"enum":[1,"a",null,[1],{"a":1}]}`, `{"enum":[]}`, `{"enum":[1,1.0]}`, `{"enum":1}`, `{"enum":[true]}`,
	`{"const":1}`, `{"const":1.0}`, `{"const":null}`, `{"const":{"a":1,"b":[2]}}`, `{"const":"a"}`, `{"const":[]}`, `{"const":false}`,
	`{"minimum":1}`, `{"maximum":1}`, `{"minimum":1,"exclusiveMinimum":true}`, `{"exclusiveMinimum":true}`, `{"exclusiveMinimum":1}`, `{"exclusiveMaximum":1}`,
	`{"maximum":1.5,"exclusiveMaximum":true}`, `{"maximum":"1"}`, `{"minimum":1e2}`, `{"maximum":9007199254740992}`, `{"minimum":-0.0}`,
	`{"multipleOf":1}`, `{"multipleOf":0.01}`, `{"multipleOf":1e-8}`, `{"multipleOf":0}`, `{"multipleOf":-1}`, `{"multipleOf":3}`,
	`{"minLength":2}`, `{"maxLength":2}`, `{"minLength":2.0}`, `{"minLength":-1}`, `{"minLength":1.5}`, `{"maxLength":"2"}`, `{"pattern":"^a"}`, `{"pattern":1}`,
	`{"minItems":1}`, `{"maxItems":1}`, `{"uniqueItems":true}`, `{"uniqueItems":1}`, `{"minItems":2,"maxItems":1}`,
	`{"minProperties":2}`, `{"maxProperties":1}`, `{"required":["a"]}`, `{"required":[]}`, `{"required":["a","a"]}`, `{"required":["a","b"]}`, `{"required":true}`, `{"required":[1]}`,
	`{"properties":{"a":{"type":"integer"},"b":{"type":"string"}}}`, `{"properties":{"a":false}}`, `{"properties":[]}`, `{"properties":{"a":1}}`,
	`{"patternProperties":{"^a":{"type":"integer"}}}`, `{"patternProperties":{"^a":{"minimum":2},"b$":{"type":"null"}}}`, `{"patternProperties":{"a":5}}`,
	`{"additionalProperties":false}`, `{"additionalProperties":{"type":"string"}}`, `{"properties":{"a":{}},"patternProperties":{"^b":{}},"additionalProperties":false}`,
	`{"properties":{"a":{}},"additionalProperties":{"type":"null"}}`, `{"additionalProperties":1}`, `{"additionalProperties":[]}`,
	`{"propertyNames":{"maxLength":1}}`, `{"propertyNames":false}`, `{"propertyNames":{"enum":["a"]}}`, `{"propertyNames":{"anyOf":[{"const":"a"},{"minLength":3}]}}`,
	`{"dependencies":{"a":["b"]}}`, `{"dependencies":{"a":{"required":["b"]}}}`, `{"dependencies":{"a":[]}}`, `{"dependencies":{"a":false}}`, `{"dependencies":{"a":1}}`, `{"dependencies":[]}`,
	`{"dependentRequired":{"a":["b","c"]}}`, `{"dependentRequired":{"a":{}}}`, `{"dependentSchemas":{"a":{"minProperties":2}}}`, `{"dependentSchemas":{"a":false}}`, `{"dependentSchemas":{"a":[]}}`,
	`{"items":{"type":"integer"}}`, `{"items":[{"type":"integer"},{"type":"string"}]}`, `{"items":[{"type":"integer"}],"additionalItems":false}`, `{"items":[{"type":"integer"}],"additionalItems":{"type":"null"}}`,
	`{"items":false}`, `{"items":[]}`, `{"items":1}`, `{"additionalItems":false}`, `{"items":{},"additionalItems":false}`, `{"items":[{}],"additionalItems":1}`, `{"items":[1]}`,
	`{"prefixItems":[{"type":"integer"},{"type":"string"}]}`, `{"prefixItems":[{"type":"integer"}],"items":false}`, `{"prefixItems":[{}],"items":{"type":"null"}}`, `{"prefixItems":[]}`, `{"prefixItems":{}}`,
	`{"contains":{"type":"integer"}}`, `{"contains":{"const":1},"minContains":2}`, `{"contains":{"const":1},"maxContains":1}`, `{"contains":{"const":1},"minContains":0}`, `{"contains":false}`,
	`{"minContains":2}`, `{"contains":{},"minContains":-1}`, `{"contains":1}`, `{"contains":true,"maxContains":0}`,
	`{"allOf":[{"minimum":1},{"maximum":2}]}`, `{"allOf":[]}`, `{"allOf":{}}`, `{"allOf":[false]}`, `{"allOf":[{"type":"string"},{"minLength":2}]}`,
	`{"anyOf":[{"type":"string"},{"type":"integer"}]}`, `{"anyOf":[{"minimum":2},{"maximum":0}]}`, `{"anyOf":[{"required":["a"]},{"required":["b"]}]}`, `{"anyOf":[{"type":"object","required":["z"]},{"type":"null"}]}`,
	`{"anyOf":[{"properties":{"a":{"const":1},"b":{"type":"null"}}},{"properties":{"a":{"const":2}}}]}`, `{"anyOf":[]}`, `{"anyOf":[{"enum":[1]},{"type":"array","items":{"enum":[1]}}]}`,
	`{"oneOf":[{"type":"integer"},{"minimum":2}]}`, `{"oneOf":[{"required":["a"]},{"required":["b"]}]}`, `{"oneOf":[{},{}]}`, `{"oneOf":[{"type":"string"},{"type":"null"}]}`, `{"oneOf":[1]}`,
	`{"not":{"type":"string"}}`, `{"not":{}}`, `{"not":{"not":{"type":"object"}}}`, `{"not":{"required":["a"]}}`, `{"not":[]}`,
	`{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}}`, `{"if":{"type":"integer"},"then":{"minimum":2}}`, `{"if":{"type":"integer"},"else":{"type":"string"}}`, `{"then":false,"else":false}`,
	`{"if":true,"then":{"type":"null"},"else":false}`, `{"if":false,"then":false,"else":{"type":"null"}}`, `{"if":1}`,
	`{"definitions":{"p":{"type":"object","properties":{"a":{"$ref":"#/definitions/p"}}}},"$ref":"#/definitions/p"}`, `{"$defs":{"n":{"type":["integer","null"]}},"properties":{"a":{"$ref":"#/$defs/n"}}}`,
	`{"properties":{"a":{"$ref":"#"}},"required":["a"]}`, `{"items":{"$ref":"#"},"type":["array","integer"]}`, `{"$ref":"#/definitions/none"}`, `{"$ref":"#none"}`, `{"$ref":"other.json"}`, `{"$ref":"https://example.com/s#/a"}`,
	`{"x":{"y":[{"type":"integer"}]},"properties":{"a":{"$ref":"#/x/y/0"}}}`, `{"x~/y":{"type":"null"},"allOf":[{"$ref":"#/x~0~1y"}]}`, `{"definitions":{"a b":{"type":"null"}},"allOf":[{"$ref":"#/definitions/a%20b"}]}`,
	`{"definitions":{"d":{"$anchor":"q","type":"integer"}},"allOf":[{"$ref":"#q"}]}`, `{"definitions":{"d":{"$id":"#q","type":"integer"}},"allOf":[{"$ref":"#q"}]}`, `{"definitions":{"d":{"id":"#q","type":"integer"}},"allOf":[{"$ref":"#q"}]}`,
	`{"$id":"https://example.com/a/root","definitions":{"d":{"$id":"d","definitions":{"e":{"type":"integer"}},"items":{"$ref":"#/definitions/e"}}},"properties":{"a":{"$ref":"d"},"b":{"$ref":"https://example.com/a/d#/definitions/e"},"c":{"$ref":"root#/definitions/d"}}}`,
	`{"$id":"urn:example:root","definitions":{"d":{"type":"integer"}},"allOf":[{"$ref":"#/definitions/d"},{"$ref":"urn:example:root#/definitions/d"}]}`,
	`{"definitions":{"a":{"$id":"https://example.com/x","$ref":"#/definitions/b"},"b":{"type":"integer"}},"allOf":[{"$ref":"#/definitions/a"}]}`,
	`{"definitions":{"a":{"id":"https://example.com/x","$ref":"#/definitions/b"},"b":{"type":"integer"}},"allOf":[{"$ref":"#/definitions/a"}]}`,
	`{"definitions":{"a":{"$id":"x"},"b":{"$id":"x"}}}`, `{"definitions":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}}`, `{"$id":"%zz"}`, `{"$anchor":"1"}`, `{"$id":"a#b"}`, `{"$ref":"a b://"}`, `{"$ref":1}`,
	`{"definitions":{"d":{"$id":"other","$schema":"http://json-schema.org/draft-04/schema#","required":[]}}}`, `{"definitions":{"d":{"$id":"other","$schema":"http://json-schema.org/draft-06/schema#","exclusiveMaximum":true}}}`,
	`{"unevaluatedProperties":false}`, `{"properties":{"a":{}},"unevaluatedProperties":false}`, `{"allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":{"type":"string"}}`,
	`{"anyOf":[{"properties":{"a":{"type":"integer"}},"required":["a"]},{"properties":{"b":{}},"required":["b"]}],"unevaluatedProperties":false}`, `{"if":{"properties":{"a":{"const":1}},"required":["a"]},"then":{"properties":{"b":{}}},"unevaluatedProperties":false}`,
	`{"$ref":"#/$defs/d","$defs":{"d":{"properties":{"a":{}}}},"unevaluatedProperties":false}`, `{"dependentSchemas":{"a":{"properties":{"b":{}}}},"properties":{"a":{}},"unevaluatedProperties":false}`, `{"patternProperties":{"^a":{}},"unevaluatedProperties":false}`,
	`{"allOf":[{"additionalProperties":{"type":"integer"}}],"unevaluatedProperties":false}`, `{"allOf":[{"unevaluatedProperties":true}],"unevaluatedProperties":false}`, `{"not":{"properties":{"a":{}}},"unevaluatedProperties":false}`,
	`{"oneOf":[{"properties":{"a":{}},"required":["a"]},{"properties":{"b":{}},"required":["b"]}],"unevaluatedProperties":false}`, `{"properties":{"a":{"unevaluatedProperties":false}}}`,
	`{"unevaluatedItems":false}`, `{"prefixItems":[{}],"unevaluatedItems":false}`, `{"items":[{}],"unevaluatedItems":false}`, `{"allOf":[{"prefixItems":[{},{}]}],"unevaluatedItems":{"type":"null"}}`, `{"contains":{"type":"integer"},"unevaluatedItems":false}`,
	`{"allOf":[{"contains":{"type":"string"}},{"contains":{"type":"integer"}}],"unevaluatedItems":false}`, `{"items":{},"unevaluatedItems":false}`, `{"anyOf":[{"prefixItems":[{"const":1}]},{"prefixItems":[{},{"const":2}]}],"unevaluatedItems":false}`,
	`{"unevaluatedItems":1}`, `{"$comment":1}`, `{"title":1}`, `{"readOnly":1}`, `{"deprecated":1}`, `{"examples":1}`, `{"$vocabulary":{"x":true}}`, `{"contentEncoding":1}`, `{"contentSchema":1}`, `{"$recursiveAnchor":"1"}`, `{"definitions":1}`, `{"$defs":{"a":1}}`, `{"format":1}`,
	`{"$vocabulary":{"https://example.com/v":true}}`, `{"contentMediaType":"application/json","contentSchema":{"type":"integer"}}`, `{"x-own":{"type":"int"},"unknown":[{"required":1}]}`,
}

var formatSchemas = []string{
	`{"format":"date"}`, `{"format":"time"}`, `{"format":"date-time"}`, `{"format":"duration"}`, `{"format":"email"}`, `{"format":"hostname"}`, `{"format":"ipv4"}`, `{"format":"ipv6"}`, `{"format":"uri"}`, `{"format":"uri-reference"}`,
	`{"format":"iri"}`, `{"format":"uuid"}`, `{"format":"json-pointer"}`, `{"format":"relative-json-pointer"}`, `{"format":"regex"}`, `{"format":"nonsense"}`, `{"items":{"format":"date"},"type":"array"}`,
}

var tableInstances = []string{
	`null`, `true`, `false`, `0`, `-0`, `1`, `1.0`, `10e-1`, `1.5`, `2`, `-1`, `100`, `0.07`, `9007199254740993`, `1e40`, `1e-9`, `12345678901234567890123`,
	`""`, `"a"`, `"ab"`, `"abc"`, `"é"`, `"😀😀"`, `"\ud800"`, `"1"`,
	`[]`, `[1]`, `[1,1.0]`, `[1,"a"]`, `[1,"a",null]`, `["a"]`, `[null,null]`, `[[1],[1.0]]`, `[1,2]`, `[{"a":1,"b":2},{"b":2,"a":1}]`, `[1,[2,[3,"x"]]]`, `"2020-02-29"`,
	`{}`, `{"a":1}`, `{"a":"1"}`, `{"a":null}`, `{"b":"x"}`, `{"a":1,"b":"x"}`, `{"a":1,"b":2,"c":3}`, `{"c":[1,2]}`, `{"ab":1}`, `{"a":{"a":{"a":1}}}`, `{"a":[1,"x"]}`, `{"a":{"b":1}}`, `{"a":2,"a":1}`, `{"":0}`, `{"a":{"a":{"a":{}}}}`,
	`{`, `[1,]`, `1 2`, ``,
}

// formatInstances are for formats, right and wrong.
var formatInstances = []string{
	`"2020-02-29"`, `"2021-02-29"`, `"2020-2-9"`, `"12:30:00Z"`, `"12:30:00.5+01:00"`, `"23:59:60Z"`, `"22:59:60Z"`, `"00:29:60+00:30"`, `"24:00:00Z"`, `"12:30:00"`, `"12:30:00+25:00"`, `"2020-02-29T12:30:00z"`, `"2020-02-29t12:30:00.123-08:00"`, `"2020-02-29 12:30:00Z"`,
	`"P1Y2M3DT4H5M6S"`, `"P2W"`, `"PT"`, `"P1D2Y"`, `"P"`, `"P1"`, `"PT1H"`, `"x@y.z"`, `"x@"`, `"a b@c.d"`, `"\"a b\"@c.d"`, `".a@b.c"`, `"x@[127.0.0.1]"`, `"x@[IPv6:::1]"`, `"x@[300.0.0.1]"`,
	`"example.com"`, `"-a.b"`, `"a_b.c"`, `"127.0.0.1"`, `"127.0.0.01"`, `"256.1.1.1"`, `"1.2.3"`, `"::1"`, `"::1%eth0"`, `"1:2:3:4:5:6:7:8"`, `"12345::"`, `"::ffff:1.2.3.4"`,
	`"https://example.com/a?b#c"`, `"//example.com"`, `"urn:x:y"`, `"http://[::1]/"`, `"http://[:::1]/"`, `"a b"`, `"%zz"`, `"a\\b"`, `"#x"`, `"mailto:x@y.z"`,
	`"2eb8aa08-aa98-11ea-b4aa-73b441d16380"`, `"2EB8AA08-AA98-11EA-B4AA-73B441D16380"`, `"2eb8aa08aa9811eab4aa73b441d16380"`, `"2eb8aa08-aa98-11ea-b4aa-73b441d1638g"`, `"/a/~0~1"`, `"/a~2"`, `"1/a"`, `"0#"`, `"01"`, `"1"`,
}
