package metrics

// SaveFold and ReadFold are for tests outside: what a snapshot does with a fold.
func SaveFold(f Fold) ([]byte, error) { return new(coder).appendFold(nil, f) }

func ReadFold(f Fold, data []byte) error { return new(coder).readFold(f, string(data)) }
