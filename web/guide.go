package web

import (
	"cmp"
	"strings"

	"meridian/docs/sources"
	"meridian/streaming/timeline"
	"meridian/web/language"
	"meridian/web/views"
)

// provider is how a system is connected, in words, and a delivery to try with.
type provider struct {
	name   string // of its card; "": of the language
	title  string // in "Connect ..."; "": of the language
	where  func(*language.GuidesWords) string
	header string // of the signature
	event  string // a header that names the type
	body   string
}

var providers = map[string]provider{
	"github": {
		name:   "GitHub",
		title:  "GitHub",
		where:  func(w *language.GuidesWords) string { return w.GitHub + lower(sources.Events("github")) + "." },
		header: "X-Hub-Signature-256", event: "X-GitHub-Event: ping", body: `{"zen":"Hello from a shell."}`,
	},
	"jira": {
		name:   "Jira",
		title:  "Jira",
		where:  func(w *language.GuidesWords) string { return w.Jira },
		header: "X-Hub-Signature", body: `{"webhookEvent":"jira:test"}`,
	},
	"deploy": {
		where:  func(w *language.GuidesWords) string { return w.Deploy },
		header: "X-Hub-Signature-256",
		body:   `{"id":"run-1","service":"checkout","environment":"production","status":"success","finished_at":"'"$(date -u +%Y-%m-%dT%H:%M:%SZ)"'"}`,
	},
	"argocd": {
		name:   "Argo CD",
		title:  "Argo CD",
		where:  func(w *language.GuidesWords) string { return w.ArgoCD },
		header: "X-Hub-Signature-256", body: `{"app":"checkout"}`,
	},
	"cdevents": {
		name:   "CDEvents",
		title:  "CDEvents",
		where:  func(w *language.GuidesWords) string { return w.CDEvents },
		header: "X-Hub-Signature-256", body: `{"context":{"type":"dev.cdevents.service.deployed.0.2.0"}}`,
	},
}

func lower(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// nameOf is what people call a provider.
func nameOf(say *language.Words, id string) string {
	if id == "deploy" {
		return say.Guides.DeployName
	}
	return cmp.Or(providers[id].name, id)
}

// guideTo says how to connect a source. A secret that was made here is there to
// copy until a delivery was accepted, and after that when it is asked for: it
// is not in the page before, for a page gets into pictures.
func (s *Server) guideTo(say *language.Words, id string, src SourceStatus, heard timeline.Millis, asked bool) views.Guide {
	p, ok := providers[src.Provider]
	if !ok {
		p = provider{title: src.Provider, where: func(w *language.GuidesWords) string { return w.Other }, body: "{}"}
	}
	g := views.Guide{
		Docs: s.docs(src.Provider), ID: id, Provider: cmp.Or(p.title, say.Guides.DeployTitle), Where: p.where(&say.Guides), URL: s.public(src.Path),
		Kept: say.Guides.Configured, Says: s.progress(say, src, heard),
	}
	secret := say.Guides.SecretConfigured
	if src.Secret != "" {
		g.Kept, secret = say.Guides.MadeHere, say.Guides.SecretMade
		if src.connected(heard) {
			g.Ask, g.Asked = s.base+"/sources?secret="+id+"#"+id, asked
		}
		if g.Ask == "" || asked {
			g.Secret, secret = src.Secret, src.Secret
		}
	}
	switch src.Verify {
	case "bearer":
		g.Where += say.Guides.Bearer
	case "url_token":
		g.Where += say.Guides.Token
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
func (s *Server) progress(say *language.Words, src SourceStatus, heard timeline.Millis) string {
	at := s.moment(src.Last).Text
	switch {
	case src.Last == 0 || src.connected(heard):
		return ""
	case src.Undecoded > 0 && src.Trouble == src.Last:
		return say.Guides.Unreadable(at)
	case src.Pings > 0 && src.Ignored == 0:
		return say.Guides.Pinged(at)
	}
	return say.Guides.OtherType(at)
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
