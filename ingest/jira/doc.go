// Package jira decodes Jira's webhooks, of Cloud, Data Center and old Servers, and
// the bare issues with a changelog that Jira Automation and the REST API send.
//
// It knows the shapes of issues, changelogs, comments and users, and which time in
// them is the time of a fact. It does not know which statuses are "in progress"
// or which issues are incidents: the catalog does.
//
// Surprising things:
//
//   - issue_event_type_name is not read. A transition is a changelog item whose
//     field is "status" in any case; old Servers send no type name at all.
//   - The changelog of jira:issue_created has an item "Status" from nothing: where
//     the issue starts, and nobody's transition.
//   - A comment is told by comment_created, which says neither who acted nor, on a
//     Server, on which issue, and by jira:issue_updated. Both are one fact.
//   - A comment in jira:issue_updated is new when it was created and updated at the
//     same time; else somebody edited it, which is no activity.
//   - Times are written in the zone of the user who acted, with an offset without a
//     colon. Read through the API they are in the zone of the token's owner, and say
//     nothing of whoever acted.
//   - Summary and description are read for which deployment caused an incident, and
//     dropped. On Cloud's newer API a description is a document of nodes.
//   - A moved issue keeps its id. The key that it had is in an item "Key" of the
//     changelog; its item "project" has titles, which are nobody's key.
//   - Like those of ingest/github, the types here are an allow-list. go-jira's are
//     made for requests: reading an issue with them takes every custom field along.
package jira
