// Package web is what people and programs read: pages, the API, sign-in, and
// the guard in front of person metrics.
//
// It knows routes, sessions, what may be shown to whom, and which numbers a
// page needs. It does not know how numbers are stored (Results), where teams
// come from (Directory), what receivers have seen (Sources) or how the engine
// is run (Status): each is a small interface in ports.go. How a page looks is
// web/views.
//
// A request goes through the layers of server.go from the top down, to a
// handler of routes.go, which returns an error or has answered; fail.go turns
// the error into a page or a problem document.
//
// Surprising things:
//
//   - No handler holds Results. All reads go through Guard, so that a page, the
//     API and an export cannot disagree about what is withheld.
//   - Nor does a handler ask who may see a team: the guard takes the Reader out of
//     the request's context, so that one that forgets to cannot show too much.
//   - Whether a number about people is shown depends on all others: days are cut
//     into blocks, and only whole ones are shown (blocks.go).
//   - A request that changes something is in the audit log before its handler has
//     it, and what cannot be written there is not done.
//   - A valid bearer token passes with any Host header, a session does not:
//     DNS rebinding rides on a browser's cookies, and never has a token.
//   - The one-time link answers with a page that refreshes to the overview, and
//     not with a redirect: a strict cookie is not sent along a redirect whose
//     chain another site began.
//   - An open page holds one connection for server-sent events, and browsers
//     give a host six over HTTP/1.1. The script closes it while its tab is
//     hidden, else the seventh tab would wait for ever.
package web
