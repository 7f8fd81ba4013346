// Package github decodes GitHub's webhooks: pull requests, their reviews and
// comments, pushes, deployments and their statuses.
//
// It knows GitHub's payloads and which time in them is the time of a fact. It does
// not know teams, people or services (the catalog does), nor signatures (the
// receiver has checked them).
//
// Surprising things:
//
//   - The types here are an allow-list. A decoder reads a payload into them, drops
//     the free text, makes events from what is left, and keeps exactly that: a
//     kept body cannot hold what no event needs, and decodes to the same events.
//     go-github's types have every field of the API, fail as a whole when GitHub
//     changes the type of one that nobody reads, and refuse a push for one
//     commit's impossible date. They are the oracle of this package's tests.
//   - Absent and null are the same here, and for an account both mean that it has
//     been deleted.
//   - repository.pushed_at is a number in pushes and text elsewhere.
//   - pull_request.merged is absent from deliveries about reviews; merged_at is not.
package github
