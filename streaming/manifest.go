package streaming

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"iter"

	"github.com/fxamacker/cbor/v2"
)

// manifestMagic begins an encoded manifest and names its layout.
const manifestMagic = "MSNAP1\n"

type manifestState struct {
	Shard    string         `cbor:"1,keyasint"`
	Sequence uint64         `cbor:"2,keyasint"`
	Resume   int64          `cbor:"3,keyasint"`
	Sections []sectionState `cbor:"4,keyasint"`
}

type sectionState struct {
	Name   string `cbor:"1,keyasint"`
	Chunks []byte `cbor:"2,keyasint"` // hashes, one behind the other
}

// Encode writes m for a store: magic, SHA-256 of the rest, CBOR.
func (m Manifest) Encode() []byte {
	st := manifestState{Shard: m.Shard, Sequence: m.Sequence, Resume: m.Resume, Sections: make([]sectionState, len(m.Sections))}
	for i, s := range m.Sections {
		chunks := make([]byte, 0, len(s.Chunks)*sha256.Size)
		for _, h := range s.Chunks {
			chunks = append(chunks, h[:]...)
		}
		st.Sections[i] = sectionState{Name: s.Name, Chunks: chunks}
	}
	body := encodeCBOR(st)
	sum := sha256.Sum256(body)
	out := make([]byte, 0, len(manifestMagic)+len(sum)+len(body))
	out = append(out, manifestMagic...)
	out = append(out, sum[:]...)
	return append(out, body...)
}

// DecodeManifest reads what Encode wrote. Anything else is ErrDamaged.
func DecodeManifest(data []byte) (Manifest, error) {
	rest, ok := bytes.CutPrefix(data, []byte(manifestMagic))
	if !ok || len(rest) < sha256.Size {
		return Manifest{}, fmt.Errorf("%w: no manifest begins so", ErrDamaged)
	}
	body := rest[sha256.Size:]
	if sum := sha256.Sum256(body); !bytes.Equal(sum[:], rest[:sha256.Size]) {
		return Manifest{}, fmt.Errorf("%w: the manifest's checksum does not agree", ErrDamaged)
	}
	var st manifestState
	if err := cbor.Unmarshal(body, &st); err != nil {
		return Manifest{}, fmt.Errorf("%w: manifest: %v", ErrDamaged, err)
	}
	m := Manifest{Shard: st.Shard, Sequence: st.Sequence, Resume: st.Resume, Sections: make([]Section, len(st.Sections))}
	for i, s := range st.Sections {
		if len(s.Chunks)%sha256.Size != 0 {
			return Manifest{}, fmt.Errorf("%w: section %q has half a hash", ErrDamaged, s.Name)
		}
		hashes := make([]Hash, 0, len(s.Chunks)/sha256.Size)
		for c := s.Chunks; len(c) > 0; c = c[sha256.Size:] {
			hashes = append(hashes, Hash(c[:sha256.Size]))
		}
		m.Sections[i] = Section{Name: s.Name, Chunks: hashes}
	}
	return m, nil
}

// Chunks yields every hash of m, repeated ones too.
func (m Manifest) Chunks() iter.Seq[Hash] {
	return func(yield func(Hash) bool) {
		for _, s := range m.Sections {
			for _, h := range s.Chunks {
				if !yield(h) {
					return
				}
			}
		}
	}
}

// Section returns the section of that name.
func (m Manifest) Section(name string) (Section, bool) {
	for _, s := range m.Sections {
		if s.Name == name {
			return s, true
		}
	}
	return Section{}, false
}
