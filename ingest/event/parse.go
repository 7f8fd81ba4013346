package event

// ParseSource is the inverse of [Source.String]; SourceUnknown for any other text.
func ParseSource(name string) Source {
	for _, s := range Sources {
		if s.String() == name {
			return s
		}
	}
	return SourceUnknown
}

// ParseKind is the inverse of [Kind.String]; KindUnknown for any other text.
func ParseKind(name string) Kind {
	for k, n := range kindNames {
		if n == name {
			return k
		}
	}
	return KindUnknown
}

// ParseVerdict is the inverse of [Verdict.String]; 0 for any other text.
func ParseVerdict(name string) Verdict {
	for v := Accepted; v <= Quarantined; v++ {
		if v.String() == name {
			return v
		}
	}
	return 0
}
