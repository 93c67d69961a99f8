package compare

// common returns the longest common subsequence of two sequences as pairs of indices. Beyond its bound it takes the
// first match that comes.
func common(n, m int, equal func(i, j int) bool) [][2]int {
	const most = 4_000_000
	if n == 0 || m == 0 {
		return nil
	}
	if n*m > most || n > most || m > most {
		return greedy(n, m, equal)
	}
	// length[i][j] is that of the suffixes from i and j.
	width := m + 1
	length := make([]int32, (n+1)*width)
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if equal(i, j) {
				length[i*width+j] = length[(i+1)*width+j+1] + 1
			} else {
				length[i*width+j] = max(length[(i+1)*width+j], length[i*width+j+1])
			}
		}
	}
	var out [][2]int
	for i, j := 0, 0; i < n && j < m; {
		switch {
		case equal(i, j):
			out = append(out, [2]int{i, j})
			i, j = i+1, j+1
		case length[(i+1)*width+j] >= length[i*width+j+1]:
			i++
		default:
			j++
		}
	}
	return out
}

// greedy matches in order, looking ahead a little.
func greedy(n, m int, equal func(i, j int) bool) [][2]int {
	const window = 64
	var out [][2]int
	for i, j := 0, 0; i < n && j < m; {
		found := false
		for d := 0; d < window && !found; d++ {
			for k := 0; k <= d && !found; k++ {
				if i+k < n && j+d-k < m && equal(i+k, j+d-k) {
					out = append(out, [2]int{i + k, j + d - k})
					i, j, found = i+k+1, j+d-k+1, true
				}
			}
		}
		if !found {
			i, j = i+1, j+1
		}
	}
	return out
}

// match is an alignment of two sequences of requests, by their indices.
type match struct {
	same  [][2]int // asked the same
	other [][2]int // asked otherwise
	gone  []int
	come  []int
}

// align aligns the requests of one method and target. Equal requests are paired in the order in which they were sent, also
// where others were sent between them in another order; where one side has more of them, those that were answered alike go together.
// Of the rest, those between the same neighbours are taken for one request with other params.
func align(a, b []*exchange) match {
	var out match
	byKey := map[uint64][2][]int{}
	for i, x := range a {
		k := byKey[x.key]
		k[0] = append(k[0], i)
		byKey[x.key] = k
	}
	for j, y := range b {
		k := byKey[y.key]
		k[1] = append(k[1], j)
		byKey[y.key] = k
	}
	partner, mate := filled(len(a)), filled(len(b))
	for _, k := range byKey {
		for _, p := range alignEqual(a, b, k[0], k[1]) {
			partner[p[0]], mate[p[1]] = p[1], p[0]
		}
	}
	// What stands behind the same pair, or before the first one, belongs together.
	behind := map[int][]int{}
	last := -1
	for j := range b {
		if mate[j] >= 0 {
			last = j
			continue
		}
		behind[last] = append(behind[last], j)
	}
	last = -1
	for i := range a {
		if partner[i] >= 0 {
			last = partner[i]
			out.same = append(out.same, [2]int{i, partner[i]})
			continue
		}
		if left := behind[last]; len(left) > 0 {
			out.other = append(out.other, [2]int{i, left[0]})
			mate[left[0]] = i
			behind[last] = left[1:]
			continue
		}
		out.gone = append(out.gone, i)
	}
	for j := range b {
		if mate[j] < 0 {
			out.come = append(out.come, j)
		}
	}
	return out
}

func filled(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = -1
	}
	return out
}

// alignEqual pairs requests that are all the same.
func alignEqual(a, b []*exchange, as, bs []int) [][2]int {
	var out [][2]int
	if len(as) != len(bs) && len(as) > 0 && len(bs) > 0 {
		anchors := common(len(as), len(bs), func(i, j int) bool {
			x, y := a[as[i]], b[bs[j]]
			return x.body == y.body && x.state == y.state
		})
		i, j := 0, 0
		for _, k := range append(anchors, [2]int{len(as), len(bs)}) {
			for ; i < k[0] && j < k[1]; i, j = i+1, j+1 {
				out = append(out, [2]int{as[i], bs[j]})
			}
			if k[0] < len(as) {
				out = append(out, [2]int{as[k[0]], bs[k[1]]})
			}
			i, j = k[0]+1, k[1]+1
		}
		return out
	}
	for i := range min(len(as), len(bs)) {
		out = append(out, [2]int{as[i], bs[i]})
	}
	return out
}
