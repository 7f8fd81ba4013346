package senders

import "time"

// Deployed is a finished deployment of the generic kind: status is success, failure, rolled_back or cancelled.
func Deployed(id, service, environment, status, actor string, finished time.Time) Delivery {
	o := object{
		"id": id, "service": service, "environment": environment, "status": status,
		"started_at": instant(finished.Add(-4 * time.Minute)), "finished_at": instant(finished), "url": "https://ci.example/" + id,
	}
	if actor != "" {
		o["actor"] = actor
	}
	return Delivery{"deploy", nil, body(o)}
}
