package senders

import (
	"fmt"
	"time"
)

// A User is an account on GitHub.
type User struct {
	Login string
	ID    int
	Bot   bool
}

func (u User) json() object {
	kind := "User"
	if u.Bot {
		kind = "Bot"
	}
	return object{"login": u.Login, "id": u.ID, "type": kind, "site_admin": false, "html_url": "https://github.example/" + u.Login}
}

// A Repository is one on GitHub.
type Repository struct {
	ID   int
	Name string // with its owner
}

func (r Repository) json(pushed time.Time) object {
	o := object{
		"id": r.ID, "full_name": r.Name, "private": true, "default_branch": "main", "description": "zebra shop",
		"owner": object{"login": "acme", "id": 9, "type": "Organization"}, "html_url": "https://github.example/" + r.Name,
	}
	if !pushed.IsZero() {
		o["pushed_at"] = pushed.Unix()
	}
	return o
}

func (r Repository) delivery(event string, sender User, pushed time.Time, more object) Delivery {
	more["repository"], more["sender"] = r.json(pushed), sender.json()
	return Delivery{"github", map[string]string{"X-GitHub-Event": event}, body(more)}
}

// Ping is what GitHub sends when a hook is made.
func (r Repository) Ping(by User) Delivery {
	return r.delivery("ping", by, time.Time{}, object{"zen": "zebra", "hook_id": 1})
}

// Unknown is a type that nobody has heard of.
func (r Repository) Unknown(by User) Delivery {
	return r.delivery("moon_phase", by, time.Time{}, object{"action": "waxed"})
}

// A Commit is one of a push. Its time keeps its offset.
type Commit struct {
	SHA    string
	Author User
	At     time.Time
}

// Push is a push to the default branch.
func (r Repository) Push(by User, at time.Time, commits ...Commit) Delivery {
	var list []object
	after := ""
	for _, c := range commits {
		after = c.SHA
		list = append(list, object{
			"id": c.SHA, "message": "zebra", "timestamp": c.At.Format(time.RFC3339), "distinct": true,
			"author": object{"name": "Zebra", "email": c.Author.Login + "@acme.example", "username": c.Author.Login},
			"added":  []string{}, "removed": []string{}, "modified": []string{"main.go"},
		})
	}
	return r.delivery("push", by, at, object{
		"ref": "refs/heads/main", "before": fmt.Sprintf("%040d", at.Unix()), "after": after,
		"created": false, "deleted": false, "forced": false, "commits": list,
	})
}

// DeletedBranch is the push that deletes a branch: there are no commits and no head.
func (r Repository) DeletedBranch(by User, at time.Time) Delivery {
	return r.delivery("push", by, at, object{
		"ref": "refs/heads/old", "before": fmt.Sprintf("%040d", 7), "after": fmt.Sprintf("%040d", 0),
		"created": false, "deleted": true, "forced": false, "commits": []object{}, "head_commit": nil,
	})
}

// A Deployment is one on GitHub.
type Deployment struct {
	Repository  Repository
	ID          int
	Environment string
	By          User
	Created     time.Time
}

func (d Deployment) json() object {
	return object{
		"id": d.ID, "sha": fmt.Sprintf("%040d", d.ID), "ref": "main", "task": "deploy", "payload": object{}, "description": "zebra",
		"environment": d.Environment, "original_environment": d.Environment, "creator": d.By.json(),
		"created_at": instant(d.Created), "updated_at": instant(d.Created), "production_environment": nil,
	}
}

// Begun is the deployment itself.
func (d Deployment) Begun() Delivery {
	return d.Repository.delivery("deployment", d.By, time.Time{}, object{"action": "created", "deployment": d.json()})
}

// Status tells how it went.
func (d Deployment) Status(id int, state string, at time.Time) Delivery {
	return d.Repository.delivery("deployment_status", d.By, time.Time{}, object{
		"action": "created", "deployment": d.json(),
		"deployment_status": object{
			"id": id, "state": state, "creator": d.By.json(), "environment": d.Environment, "description": "zebra",
			"created_at": instant(at), "updated_at": instant(at),
		},
	})
}
