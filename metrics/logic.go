package metrics

// LogicVersion is the version of everything here that decides a number: what
// the folds keep, what the definitions observe, how windows are cut, merged and
// written. Whoever changes a row that some log has already produced raises it,
// and names the metrics in the changelog; a golden log fails the tests of those
// who forget. A new version begins a new generation by itself.
const LogicVersion = "4"
