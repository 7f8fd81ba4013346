package event

import "testing"

func TestNamesParseBack(t *testing.T) {
	for _, s := range Sources {
		if ParseSource(s.String()) != s {
			t.Errorf("source %s", s)
		}
	}
	for k := range kindNames {
		if ParseKind(k.String()) != k {
			t.Errorf("kind %s", k)
		}
	}
	for _, v := range []Verdict{Accepted, Late, Duplicate, Quarantined} {
		if ParseVerdict(v.String()) != v {
			t.Errorf("verdict %s", v)
		}
	}
	if ParseSource("x") != SourceUnknown || ParseKind("x") != KindUnknown || ParseVerdict("x") != 0 {
		t.Error("a name that is none was read as one")
	}
}
