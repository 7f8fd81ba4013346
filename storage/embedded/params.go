package embedded

import (
	"runtime"
	"unsafe"
)

// param is one {name:Type} of a query, its value in ClickHouse's text form.
type param struct{ name, value string }

// pinnedParams are params as C wants them: arrays of pointers and of lengths, held in place until unpinned.
type pinnedParams struct {
	names, values       []unsafe.Pointer
	nameLens, valueLens []uint
	pin                 runtime.Pinner
}

func pinParams(params []param) *pinnedParams {
	n := len(params)
	p := &pinnedParams{
		names: make([]unsafe.Pointer, n+1), values: make([]unsafe.Pointer, n+1),
		nameLens: make([]uint, n+1), valueLens: make([]uint, n+1),
	}
	put := func(text string) unsafe.Pointer {
		b := append([]byte(text), 0)
		p.pin.Pin(&b[0])
		return unsafe.Pointer(&b[0])
	}
	for i, v := range params {
		p.names[i], p.nameLens[i] = put(v.name), uint(len(v.name))
		p.values[i], p.valueLens[i] = put(v.value), uint(len(v.value))
	}
	for _, pointers := range [][]unsafe.Pointer{p.names, p.values} {
		p.pin.Pin(&pointers[0])
	}
	for _, lens := range [][]uint{p.nameLens, p.valueLens} {
		p.pin.Pin(&lens[0])
	}
	return p
}
