package senders

import (
	"fmt"
	"time"
)

// An Issue is one of Jira Cloud. Its key begins with its project's.
type Issue struct {
	ID      int
	Project string
	Created time.Time
}

// Statuses by name, as most projects have them.
const (
	ToDo       = "To Do"
	InProgress = "In Progress"
	Done       = "Done"
)

var categories = map[string]string{ToDo: "new", InProgress: "indeterminate", Done: "done"}

// account is a person of Jira Cloud, in a zone of their profile.
func account(name string) object {
	return object{
		"accountId": "712020:" + name, "accountType": "atlassian", "displayName": "Zebra", "active": true, "timeZone": "UTC",
		"emailAddress": name + "@acme.example", "self": "https://acme.example.net/rest/api/2/user?accountId=712020:" + name,
	}
}

func (i Issue) json(status string) object {
	return object{
		"id": fmt.Sprint(i.ID), "key": fmt.Sprintf("%s-%d", i.Project, i.ID), "self": fmt.Sprintf("https://acme.example.net/rest/api/2/issue/%d", i.ID),
		"fields": object{
			"summary": "zebra", "description": "zebra", "labels": []string{}, "components": []object{},
			"issuetype": object{"id": "1", "name": "Story"}, "project": object{"id": "10000", "key": i.Project, "name": "zebra"},
			"status":  object{"id": statusID(status), "name": status, "statusCategory": object{"key": categories[status], "name": status}},
			"created": jiraTime(i.Created), "updated": jiraTime(i.Created), "reporter": account("mai"), "creator": account("mai"),
		},
	}
}

func statusID(status string) string {
	return map[string]string{ToDo: "10001", InProgress: "10002", Done: "10003"}[status]
}

func jiraTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000-0700") }

// Opened is the issue's creation, in To Do.
func (i Issue) Opened(by string) Delivery {
	return Delivery{"jira", nil, body(object{
		"timestamp": i.Created.UnixMilli(), "webhookEvent": "jira:issue_created", "user": account(by), "issue": i.json(ToDo),
	})}
}

// Moved is a transition.
func (i Issue) Moved(by, from, to string, at time.Time) Delivery {
	return Delivery{"jira", nil, body(object{
		"timestamp": at.UnixMilli(), "webhookEvent": "jira:issue_updated", "issue_event_type_name": "issue_generic",
		"user": account(by), "issue": i.json(to),
		"changelog": object{"id": fmt.Sprint(at.Unix()), "items": []object{{
			"field": "status", "fieldtype": "jira", "fieldId": "status",
			"from": statusID(from), "fromString": from, "to": statusID(to), "toString": to,
		}}},
	})}
}

// Commented is a comment.
func (i Issue) Commented(by string, id int, at time.Time) Delivery {
	return Delivery{"jira", nil, body(object{
		"timestamp": at.UnixMilli(), "webhookEvent": "comment_created", "issue": i.json(InProgress),
		"comment": object{
			"id": fmt.Sprint(id), "self": fmt.Sprintf("https://acme.example.net/rest/api/2/issue/%d/comment/%d", i.ID, id),
			"author": account(by), "updateAuthor": account(by), "body": "zebra", "created": jiraTime(at), "updated": jiraTime(at),
		},
	})}
}
