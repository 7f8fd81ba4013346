package metrics

// Given is what the final row of a window said that was revised since: who took that
// number down finds it again beside the one that holds now. It is what the row said
// when it was final, however often it is revised; a window that was never final, or
// whose final row had no value, has none.
type Given struct {
	N     int64
	Value Number // in the unit of the point
}
