package demo

import (
	"fmt"
	"strconv"

	"meridian/streaming/timeline"
)

// status is a step of a workflow in Jira.
type status struct{ id, name, category string }

// The steps of work, and of incidents.
func toDo() status          { return status{"10001", "To Do", "new"} }
func inProgress() status    { return status{"3", "In Progress", "indeterminate"} }
func inReview() status      { return status{"10003", "In Review", "indeterminate"} }
func done() status          { return status{"10002", "Done", "done"} }
func reported() status      { return status{"1", "Open", "new"} }
func investigating() status { return status{"10021", "Investigating", "indeterminate"} }
func mitigated() status     { return status{"10022", "Mitigated", "indeterminate"} }
func closed() status        { return status{"6", "Closed", "done"} }

func (s status) payload() jiraStatus {
	category := map[string]jiraCategory{"new": {2, "new", "To Do"}, "indeterminate": {4, "indeterminate", "In Progress"}, "done": {3, "done", "Done"}}[s.category]
	return jiraStatus{site + "/rest/api/2/status/" + s.id, s.id, s.name, category}
}

// issue is one as it stands.
type issue struct {
	id       int64
	project  string
	key      string
	kind     string // Story, Bug, Incident
	summary  string
	reporter *person
	assignee *person
	service  *service // incidents have the service as their component

	created, updated, resolved timeline.Millis

	status status
}

func (i *issue) payload() *jiraIssue {
	components := []jiraNamed{}
	labels := []string{}
	if i.service != nil {
		components = append(components, jiraNamed{ID: strconv.Itoa(20_000 + len(i.service.component)), Name: i.service.component})
	}
	if i.kind == "Bug" {
		labels = append(labels, "found-by-customers")
	}
	z := i.reporter.zone
	var resolved *string
	if i.resolved != 0 {
		s := jiraTime(i.resolved, z)
		resolved = &s
	}
	kinds := map[string]string{"Story": "10004", "Bug": "10005", "Incident": "10009"}
	id := strconv.FormatInt(i.id, 10)
	fields := jiraFields{
		Summary: i.summary, Type: jiraNamed{site + "/rest/api/2/issuetype/" + kinds[i.kind], kinds[i.kind], i.kind},
		Project:  jiraProject{site + "/rest/api/2/project/" + i.project, i.project, i.project, i.project},
		Status:   i.status.payload(),
		Priority: jiraNamed{site + "/rest/api/2/priority/3", "3", "Medium"}, Components: components, Labels: labels,
		Created: jiraTime(i.created, z), Updated: jiraTime(i.updated, z), Resolved: resolved,
		Creator: i.reporter.jiraUser(), Reporter: i.reporter.jiraUser(),
	}
	if i.assignee != nil {
		fields.Assignee = i.assignee.jiraUser()
	}
	return &jiraIssue{id, site + "/rest/api/2/issue/" + id, i.key, fields}
}

// create reports an issue.
func (w *world) create(project, kind string, by, assignee *person, s *service, at timeline.Millis) *issue {
	if w.keys == nil {
		w.keys = map[string]int{}
	}
	w.keys[project]++
	i := &issue{
		id: w.nextID() - 1_900_000_000 + 100_000, project: project, key: fmt.Sprintf("%s-%d", project, w.keys[project]+100), kind: kind,
		summary: w.title(), reporter: by, assignee: assignee, service: s, created: at, updated: at, status: toDo(),
	}
	if kind == "Incident" {
		i.status, i.summary = reported(), s.component+" does not answer as it should"
	}
	first := i.status
	w.jira(at, &jiraWebhook{
		Timestamp: int64(at) + 40, Event: "jira:issue_created", EventType: "issue_created", User: by.jiraUser(), Issue: i.payload(),
		Changelog: &jiraChangelog{w.change(), []jiraItem{{"status", "jira", "status", nil, nil, &first.id, &first.name}}},
	})
	return i
}

func (w *world) change() string { return strconv.FormatInt(w.nextID(), 10) }

// move takes an issue to another status.
func (w *world) move(i *issue, to status, by *person, at timeline.Millis) {
	if i.status == to {
		return
	}
	at = max(at, i.updated+timeline.Second)
	from := i.status
	i.status, i.updated, i.resolved = to, at, 0
	if to.category == "done" {
		i.resolved = at
	}
	w.jira(at, &jiraWebhook{
		Timestamp: int64(at), Event: "jira:issue_updated", EventType: "issue_generic", User: by.jiraUser(), Issue: i.payload(),
		Changelog: &jiraChangelog{w.change(), []jiraItem{{"status", "jira", "status", &from.id, &from.name, &to.id, &to.name}}},
	})
}

// discuss comments on an issue. Some sites tell it twice, in two types of delivery.
func (w *world) discuss(i *issue, by *person, at timeline.Millis) {
	i.updated = max(i.updated, at)
	id := strconv.FormatInt(w.nextID(), 10)
	written := jiraTime(at, by.zone)
	c := &jiraComment{site + "/rest/api/2/issue/" + strconv.FormatInt(i.id, 10) + "/comment/" + id, id, by.jiraUser(), "I can look at it.", written, written}
	w.jira(at, &jiraWebhook{Timestamp: int64(at) + 12, Event: "comment_created", Issue: i.payload(), Comment: c})
	if w.chance(250) {
		w.jira(at, &jiraWebhook{Timestamp: int64(at) + 22, Event: "jira:issue_updated", EventType: "issue_commented", User: by.jiraUser(), Issue: i.payload(), Comment: c})
	}
}
