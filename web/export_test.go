package web

// RoutesForTest are a server's routes.
func RoutesForTest(s *Server) []route { return s.routes() }

// MissingForTest makes a server as it is before `make assets`.
func MissingForTest(s *Server) {
	for _, name := range append(vendored[:], "vendor/chart.js", "vendor/live.js") {
		delete(s.assets.byPath, name)
	}
}

// PermitsForTest reports whether a route of that access lets an owner through.
func PermitsForTest(a Access) bool { return (&route{Method: "GET", Access: a}).permits(owner()) }

// BandForTest is band.
var BandForTest = band
