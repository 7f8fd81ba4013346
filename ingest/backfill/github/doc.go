// Package github reads the history of GitHub repositories through the REST API and
// puts it on the log as deliveries in the shape of webhooks.
//
// It knows GitHub's API and the shapes that ingest/github decodes. It does not
// decode: a fact read here goes through the same decoder as its webhook, so the
// two have one natural id.
//
// Surprising things:
//
//   - The API tells how a pull request is, and a webhook how it was. So each fact
//     is given the pull request as it was then, as far as its timeline tells:
//     draft or not, open or closed, and not yet merged.
//   - A dismissed review does not say any more what it had said. The timeline's
//     review_dismissed does.
//   - Lists move while they are read: what somebody touches goes to the front, and
//     something slides over the border of a page that was read already. Lists are
//     read again until nothing new is in them.
//   - Commits are listed by ancestry and not by push. Those of the default branch
//     are given as one push for each step of it (first parents), with what a merge
//     brought along; they say their author's time in UTC, never the author's zone.
//   - Answers are kept as raw JSON. go-github carries the requests; its types would
//     lose the fields that it does not know, such as production_environment.
package github
