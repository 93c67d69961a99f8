package schemaguard

// node is a compiled subschema. Where a schema uses $dynamicRef, scope is the resource it stands in.
type node struct {
	fixed    fixed
	kinds    kind // 0: any
	constant *enum
	enum     *enum
	format   *format
	grammar  Draft // in a table of keywords: this is a schema of that dialect
	scope    *resource

	refs    []reference
	logic   *logic
	objects *objectRules
	arrays  *arrayRules
	strings *stringRules
	numbers *numberRules

	chain int // subschemas at work on one value from here on; 0: not counted yet, -1: being counted
}

// fixed is the answer of a boolean schema.
type fixed uint8

const (
	unfixed fixed = iota
	accepts
	rejects
)

// reference is $ref. Where it is dynamic, the outermost resource on the way here that has the anchor
// tells where it leads.
type reference struct {
	to      *node
	dynamic *dynamicAnchor
}

// dynamicAnchor is one name in all resources that have it: $dynamicAnchor, or $recursiveAnchor as "".
type dynamicAnchor struct {
	name string
	in   map[*resource]*node
	all  []*node // of the resources of this name in their order, as far as they are known
}

// logic is what applies subschemas to the same value, whatever its kind.
type logic struct {
	allOf, anyOf, oneOf []*node
	not                 *node
	condition           *node // if
	then, otherwise     *node
}

type objectRules struct {
	least, most int // most -1: any number
	required    []string
	dependents  []dependent
	properties  map[string]*node
	order       []string // of properties
	patterns    []patternRule
	additional  *node
	closed      bool // additionalProperties is false
	names       *node
	unevaluated *node
}

// dependent is what a member demands by being there.
type dependent struct {
	keyword, name string
	required      []string
	schema        *node
}

type patternRule struct {
	pattern *pattern
	schema  *node
}

type arrayRules struct {
	least, most              int
	unique                   bool
	prefix                   []*node
	rest                     *node
	closed                   bool // additionalItems is false
	contains                 *node
	minContains, maxContains int  // -1 where there is none
	containing               bool // what contains matches counts as evaluated
	unevaluated              *node
}

type stringRules struct {
	least, most int
	pattern     *pattern
}

type numberRules struct {
	minimum, maximum, above, below, multipleOf *limit
}

type limit struct {
	decimal
	text string
}

func limitOf(v *value) *limit { return &limit{parseDecimal(v.text), v.text} }

// here calls visit with the subschemas that are applied to the same value.
func (n *node) here(visit func(*node)) {
	for _, r := range n.refs {
		visit(r.to)
		if r.dynamic != nil {
			for _, to := range r.dynamic.all {
				visit(to)
			}
		}
	}
	if l := n.logic; l != nil {
		for _, list := range [...][]*node{l.allOf, l.anyOf, l.oneOf, {l.not, l.condition, l.then, l.otherwise}} {
			for _, sub := range list {
				if sub != nil {
					visit(sub)
				}
			}
		}
	}
	if n.objects != nil {
		for _, d := range n.objects.dependents {
			if d.schema != nil {
				visit(d.schema)
			}
		}
	}
}
