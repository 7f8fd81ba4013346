package web

import (
	"strings"

	"meridian/docs/sources"
	"meridian/streaming/timeline"
	"meridian/web/views"
)

// provider is how a system is connected, in words, and a delivery to try with.
type provider struct {
	name   string // of its card
	title  string // in "Connect ..."
	where  string
	header string // of the signature
	event  string // a header that names the type
	body   string
}

var providers = map[string]provider{
	"github": {
		name:   "GitHub",
		title:  "GitHub",
		where:  "In GitHub, open the organisation's or repository's Settings, Webhooks, Add webhook. Content type application/json; send everything, or choose: " + lower(sources.Events("github")) + ".",
		header: "X-Hub-Signature-256", event: "X-GitHub-Event: ping", body: `{"zen":"Hello from a shell."}`,
	},
	"jira": {
		name:   "Jira",
		title:  "Jira",
		where:  "In Jira, open Settings, System, WebHooks, Create a WebHook. Choose issue created, updated and deleted, and comment created.",
		header: "X-Hub-Signature", body: `{"webhookEvent":"jira:test"}`,
	},
	"deploy": {
		name:   "Deployments",
		title:  "a deploy system",
		where:  "At the end of a deployment, let the pipeline send one request like the one below. Only id, service, environment, status and its time are needed.",
		header: "X-Hub-Signature-256",
		body:   `{"id":"run-1","service":"checkout","environment":"production","status":"success","finished_at":"'"$(date -u +%Y-%m-%dT%H:%M:%SZ)"'"}`,
	},
	"argocd": {
		name:   "Argo CD",
		title:  "Argo CD",
		where:  "In Argo CD's notifications, add a webhook service with this address, and a template and trigger for on-deployed.",
		header: "X-Hub-Signature-256", body: `{"app":"checkout"}`,
	},
	"cdevents": {
		name:   "CDEvents",
		title:  "CDEvents",
		where:  "Let the sender of CDEvents post to this address.",
		header: "X-Hub-Signature-256", body: `{"context":{"type":"dev.cdevents.service.deployed.0.2.0"}}`,
	},
}

func lower(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// Where a secret stands that is not on the page.
const (
	madeHere   = "Meridian made it when it first started: it stands in secrets.json in the data directory."
	configured = "It stands in the configuration of this server, and is not shown here."
)

// guideTo says how to connect a source. A secret that was made here is there to
// copy until a delivery was accepted, and after that when it is asked for: it
// is not in the page before, for a page gets into pictures.
func (s *Server) guideTo(id string, src SourceStatus, heard timeline.Millis, asked bool) views.Guide {
	p, ok := providers[src.Provider]
	if !ok {
		p = provider{title: src.Provider, where: "Give the system this address.", body: "{}"}
	}
	g := views.Guide{Docs: s.docs(src.Provider), ID: id, Provider: p.title, Where: p.where, URL: s.public(src.Path), Kept: configured, Says: s.progress(src, heard)}
	secret := "the secret from the configuration"
	if src.Secret != "" {
		g.Kept, secret = madeHere, "the secret from secrets.json"
		if src.connected(heard) {
			g.Ask, g.Asked = s.base+"/sources?secret="+id+"#"+id, asked
		}
		if g.Ask == "" || asked {
			g.Secret, secret = src.Secret, src.Secret
		}
	}
	switch src.Verify {
	case "bearer":
		g.Where += " It sends the secret in the header Authorization: Bearer."
	case "url_token":
		g.Where += " It cannot sign, so the secret goes into the address: add ?token= and the secret."
	}
	g.Sample = sample(p, src.Verify, g.URL, secret)
	return g
}

// docs are the pages of the documentation on a provider.
func (s *Server) docs(provider string) (links []views.Link) {
	for _, name := range sources.Of(provider) {
		links = append(links, views.Link{Text: name, Href: s.base + "/docs/sources/" + name})
	}
	return links
}

// progress says what has come of it, until events come in.
func (s *Server) progress(src SourceStatus, heard timeline.Millis) string {
	at := s.moment(src.Last).Text
	switch {
	case src.Last == 0 || src.connected(heard):
		return ""
	case src.Undecoded > 0 && src.Trouble == src.Last:
		return "A signed delivery came in at " + at + ", and could not be read: the secret and the address are right. The sources page says why."
	case src.Pings > 0 && src.Ignored == 0:
		return "It works: a signed ping came in at " + at + "; now choose events."
	}
	return "It works: a signed delivery came in at " + at + ", of a type that no metric reads; now choose events."
}

// sample is a shell script that sends a delivery as the system would.
func sample(p provider, verify, address, secret string) string {
	var b strings.Builder
	line := func(parts ...string) {
		for _, s := range parts {
			b.WriteString(s)
		}
		b.WriteByte('\n')
	}
	line("SECRET=", quoted(secret))
	line("BODY='", p.body, "'")
	if verify == "" || verify == "hmac" {
		line(`SIGNATURE=$(printf %s "$BODY" | openssl dgst -sha256 -hmac "$SECRET" | sed 's/^.* //')`)
	}
	target := quoted(address)
	if verify == "url_token" {
		target = quoted(address+"?token=") + `"$SECRET"`
	}
	line("curl -sS -i ", target, ` \`)
	line(`  -H 'Content-Type: application/json' \`)
	if p.event != "" {
		line("  -H '", p.event, `' \`)
	}
	switch verify {
	case "bearer":
		line(`  -H "Authorization: Bearer $SECRET" \`)
	case "", "hmac":
		line(`  -H "`, p.header, `: sha256=$SIGNATURE" \`)
	}
	b.WriteString(`  --data-binary "$BODY" | sed '2,/^[[:space:]]*$/d'`) // the status and the answer, not the header between them
	return b.String()
}

// quoted is s as one word of a shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
