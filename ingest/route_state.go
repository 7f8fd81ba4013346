package ingest

import (
	"fmt"
	"strconv"

	"github.com/fxamacker/cbor/v2"
)

// routeStateVersion is raised when a section changes its meaning. A snapshot of
// another version cannot be read; the generation then starts from its beginning.
const routeStateVersion = 2

// Sections of a route's state.
const (
	sectionRoute  = "route"   // names the others
	sectionIDs    = "ids/"    // + UTC day and number of the piece: remembered ids as they were accepted, 20 bytes each
	sectionPlaces = "places/" // + hash of the entity: homes of entities, sorted
)

type routeHead struct {
	Version int     `cbor:"1,keyasint"`
	Swept   int64   `cbor:"2,keyasint"`
	Counts  Counts  `cbor:"3,keyasint"`
	IDs     []idDay `cbor:"4,keyasint"`
	Places  []int   `cbor:"5,keyasint"`
}

// idDay says in how many pieces the ids of a day are.
type idDay struct {
	_      struct{} `cbor:",toarray"`
	Day    int64
	Pieces int
}

func idSection(day int64, piece int) string {
	return sectionIDs + strconv.FormatInt(day, 10) + "/" + strconv.Itoa(piece)
}

func placeSection(bucket int) string { return sectionPlaces + strconv.Itoa(bucket) }

// Save writes the state in canonical form.
func (r *Route) Save(put func(section string, data []byte)) {
	head := routeHead{Version: routeStateVersion, Swept: r.places.swept, Counts: r.counts}
	for _, n := range r.ids.dayNumbers() {
		pieces := r.ids.days[n].pieces
		head.IDs = append(head.IDs, idDay{Day: n, Pieces: len(pieces)})
		for i, piece := range pieces {
			put(idSection(n, i), r.ids.pieces[piece].data)
		}
	}
	r.places.save(func(bucket int, data []byte) {
		head.Places = append(head.Places, bucket)
		put(placeSection(bucket), data)
	})
	put(sectionRoute, canonical(head))
}

// Load replaces the state.
func (r *Route) Load(get func(section string) ([]byte, error)) error {
	b, err := get(sectionRoute)
	if err != nil {
		return fmt.Errorf("route: section %s: %w", sectionRoute, err)
	}
	var head routeHead
	if err := cbor.Unmarshal(b, &head); err != nil {
		return fmt.Errorf("route: section %s: %w", sectionRoute, err)
	}
	if head.Version != routeStateVersion {
		return fmt.Errorf("route: the snapshot has version %d and this program reads %d; delete it, and the generation is computed from its beginning", head.Version, routeStateVersion)
	}
	r.reset()
	r.held = nil
	r.counts, r.places.swept = head.Counts.clone(), head.Swept
	section := func(name string, load func([]byte) error) error {
		b, err := get(name)
		if err == nil {
			err = load(b)
		}
		if err != nil {
			return fmt.Errorf("route: section %s: %w", name, err)
		}
		return nil
	}
	for _, d := range head.IDs {
		for i := range d.Pieces {
			if err := section(idSection(d.Day, i), func(b []byte) error { return r.ids.load(d.Day, b) }); err != nil {
				return err
			}
		}
	}
	teams := map[string]string{}
	for _, n := range head.Places {
		if err := section(placeSection(n), func(b []byte) error { return r.places.load(b, teams) }); err != nil {
			return err
		}
	}
	return nil
}

// canonical is core deterministic CBOR: equal values have equal bytes.
func canonical(v any) []byte {
	mode, err := cbor.CoreDetEncOptions().EncMode()
	if err == nil {
		var b []byte
		if b, err = mode.Marshal(v); err == nil {
			return b
		}
	}
	panic(fmt.Sprintf("route: its own state cannot be written: %v", err)) // types of this package only
}
