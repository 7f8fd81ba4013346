// Package jira reads the history of Jira projects through the REST API and puts it
// on the log: each issue as it is with its whole changelog, and each comment in the
// shape of a webhook.
//
// It knows the API of Cloud and of Data Center and the shapes that ingest/jira
// decodes. It does not decode.
//
// Surprising things:
//
//   - Lists are asked for by key ("key < OPS-120"), and not by page: an issue that
//     is created or deleted while a list is read moves everything behind it, and
//     cannot move a key. Where the issue of a border was deleted or moved away
//     since, Jira finds the query wrong, and the one before it is the border.
//   - Times in a query are minutes before now. Dates would be those of the zone of
//     whoever owns the token.
//   - Only the fields that are decoded are asked for. Summaries, descriptions and
//     custom fields never leave Jira; texts of comments do, for they cannot be left
//     out, and are removed by the decoder as those of webhooks are.
//   - A search cuts long changelogs and long conversations. Each says how long it is,
//     and the rest is read on its own.
package jira
