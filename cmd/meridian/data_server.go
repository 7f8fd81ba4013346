package main

import "net/http"

// serveData answers about what an instance holds as a whole, over the admin
// address: SQL, exports, backups, and who is taken out of it.
func (m *machine) serveData(mux *http.ServeMux) {
	mux.HandleFunc("POST /sql", m.answerSQL)
	mux.HandleFunc("GET /export", m.answerExport)
	mux.HandleFunc("GET /backup", m.answerBackup)
	mux.HandleFunc("POST /erase", m.answerErase)
}
