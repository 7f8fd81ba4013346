package demo

import (
	"strings"

	"meridian/streaming/timeline"
)

// The types here have the shapes of Jira Cloud's webhooks.

type jiraUser struct {
	Self        string `json:"self"`
	AccountID   string `json:"accountId"`
	AccountType string `json:"accountType"`
	DisplayName string `json:"displayName"`
	Active      bool   `json:"active"`
	TimeZone    string `json:"timeZone"`
}

func (p *person) jiraUser() *jiraUser {
	return &jiraUser{site + "/rest/api/2/user?accountId=" + strings.ReplaceAll(p.account, ":", "%3A"), p.account, "atlassian", p.name, true, p.zone.Name()}
}

type jiraNamed struct {
	Self string `json:"self,omitempty"`
	ID   string `json:"id"`
	Name string `json:"name"`
}

type jiraStatus struct {
	Self     string       `json:"self"`
	ID       string       `json:"id"`
	Name     string       `json:"name"`
	Category jiraCategory `json:"statusCategory"`
}

type jiraCategory struct {
	ID   int    `json:"id"`
	Key  string `json:"key"`
	Name string `json:"name"`
}

type jiraProject struct {
	Self string `json:"self"`
	ID   string `json:"id"`
	Key  string `json:"key"`
	Name string `json:"name"`
}

type jiraFields struct {
	Summary    string      `json:"summary"`
	Type       jiraNamed   `json:"issuetype"`
	Project    jiraProject `json:"project"`
	Status     jiraStatus  `json:"status"`
	Priority   jiraNamed   `json:"priority"`
	Components []jiraNamed `json:"components"`
	Labels     []string    `json:"labels"`
	Created    string      `json:"created"`
	Updated    string      `json:"updated"`
	Resolved   *string     `json:"resolutiondate"`
	Creator    *jiraUser   `json:"creator"`
	Reporter   *jiraUser   `json:"reporter"`
	Assignee   *jiraUser   `json:"assignee"`
}

type jiraIssue struct {
	ID     string     `json:"id"`
	Self   string     `json:"self"`
	Key    string     `json:"key"`
	Fields jiraFields `json:"fields"`
}

type jiraItem struct {
	Field      string  `json:"field"`
	FieldType  string  `json:"fieldtype"`
	FieldID    string  `json:"fieldId"`
	From       *string `json:"from"`
	FromString *string `json:"fromString"`
	To         *string `json:"to"`
	ToString   *string `json:"toString"`
}

type jiraChangelog struct {
	ID    string     `json:"id"`
	Items []jiraItem `json:"items"`
}

type jiraComment struct {
	Self    string    `json:"self"`
	ID      string    `json:"id"`
	Author  *jiraUser `json:"author"`
	Body    string    `json:"body"`
	Created string    `json:"created"`
	Updated string    `json:"updated"`
}

type jiraWebhook struct {
	Timestamp int64          `json:"timestamp"` // milliseconds
	Event     string         `json:"webhookEvent"`
	EventType string         `json:"issue_event_type_name,omitempty"`
	User      *jiraUser      `json:"user,omitempty"`
	Issue     *jiraIssue     `json:"issue"`
	Changelog *jiraChangelog `json:"changelog,omitempty"`
	Comment   *jiraComment   `json:"comment,omitempty"`
}

// jiraTime is t as Jira writes it for somebody in zone z.
func jiraTime(t timeline.Millis, z *timeline.Zone) string {
	return localTime(t, z, "2006-01-02T15:04:05.000-0700")
}
