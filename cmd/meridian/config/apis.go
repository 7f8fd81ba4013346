package config

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
)

// APIs are read by backfill, reconcile and redelivery.
type APIs struct {
	GitHub []GitHubAPI `yaml:"github"`
	Jira   []JiraAPI   `yaml:"jira"`

	// Reconcile is how often failed deliveries are looked for, and what may be
	// missing is read again; 0: never, and only a gap that is known asks for it.
	Reconcile Length `yaml:"reconcile"`
}

// GitHubAPI is one GitHub to read from.
type GitHubAPI struct {
	URL       string    `yaml:"url"`
	Token     string    `yaml:"token"`
	TokenFile string    `yaml:"token_file"` // holds Token
	App       GitHubApp `yaml:"app"`
}

// GitHubApp signs in as an App.
type GitHubApp struct {
	ID             int64  `yaml:"id"`
	Installation   int64  `yaml:"installation"`
	PrivateKey     string `yaml:"private_key"`
	PrivateKeyFile string `yaml:"private_key_file"` // holds PrivateKey
}

// JiraAPI is one Jira to read from.
type JiraAPI struct {
	URL       string `yaml:"url"`
	Email     string `yaml:"email"`
	Token     string `yaml:"token"`
	TokenFile string `yaml:"token_file"` // holds Token
}

// readSecrets takes in the files that hold secrets of APIs: entries of a list have
// no variables of their own, which could name one.
func (a *APIs) readSecrets(lines map[string]string) (ps Problems) {
	read := func(key string, secret *string, file string) {
		where := lines[key+"_file"]
		switch {
		case file == "":
		case *secret != "":
			ps.add(where, "%s_file: %s stands there too; keep one", key, key[strings.LastIndexByte(key, '.')+1:])
		default:
			data, err := os.ReadFile(file)
			if err != nil {
				ps.add(where, "%s_file: cannot read the file that it names: %v", key, err)
				return
			}
			if *secret = strings.TrimSpace(string(data)); *secret == "" {
				ps.add(where, "%s_file: the file that it names is empty", key)
			}
		}
	}
	for i := range a.GitHub {
		g := &a.GitHub[i]
		read(fmt.Sprintf("apis.github[%d].token", i), &g.Token, g.TokenFile)
		read(fmt.Sprintf("apis.github[%d].app.private_key", i), &g.App.PrivateKey, g.App.PrivateKeyFile)
	}
	for i := range a.Jira {
		read(fmt.Sprintf("apis.jira[%d].token", i), &a.Jira[i].Token, a.Jira[i].TokenFile)
	}
	return ps
}

// shortestReconcile keeps a typing error from using up a token's budget.
const shortestReconcile = Length(10 * 60 * 1000)

func (c *Config) validateAPIs(bad func(key, format string, args ...any)) {
	if c.APIs.Reconcile < 0 || c.APIs.Reconcile > 0 && c.APIs.Reconcile < shortestReconcile {
		bad("apis.reconcile", "at least 10m, or 0 for never: each look asks the API for all recent deliveries")
	}
	var urls []string
	address := func(key, u string) {
		at, err := url.Parse(u)
		switch {
		case u == "":
		case err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https":
			bad(key+".url", "%q is no address: write https://HOST", u)
		case at.User != nil:
			bad(key+".url", "holds a name or a password: they go into keys of their own")
		}
		if slices.Contains(urls, strings.TrimRight(u, "/")) {
			bad(key+".url", "stands twice")
		}
		urls = append(urls, strings.TrimRight(u, "/"))
	}
	for i, g := range c.APIs.GitHub {
		key := fmt.Sprintf("apis.github[%d]", i)
		address(key, g.URL)
		hasToken, app := g.Token != "" || g.TokenFile != "", g.App != (GitHubApp{})
		switch {
		case !hasToken && !app:
			bad(key, "needs a token or an app: GitHub shows next to nothing to strangers")
		case hasToken && app:
			bad(key, "has a token and an app: keep one")
		case app && g.App.ID <= 0:
			bad(key+".app", "needs an id: the App's page has it")
		case app && g.App.PrivateKey == "" && g.App.PrivateKeyFile == "":
			bad(key+".app", "needs a private_key, or a private_key_file: the App's page makes one")
		case app && g.App.PrivateKey != "" && !isKey(g.App.PrivateKey):
			bad(key+".app.private_key", "is no RSA key in PEM: paste the whole file, from BEGIN to END")
		}
		if g.App.Installation < 0 {
			bad(key+".app.installation", "is a number that GitHub gives, or left out")
		}
	}
	urls = nil
	for i, j := range c.APIs.Jira {
		key := fmt.Sprintf("apis.jira[%d]", i)
		address(key, j.URL)
		at, _ := url.Parse(j.URL)
		switch {
		case j.URL == "":
			bad(key, "needs a url: https://acme.atlassian.net, or a Data Center's")
		case at != nil && strings.HasSuffix(at.Hostname(), ".atlassian.net") && j.Email == "":
			bad(key, "needs an email: Jira Cloud takes an API token with its owner's")
		}
		if j.Token == "" && j.TokenFile == "" {
			bad(key, "needs a token, or a token_file: an API token (Cloud) or a personal access token (Data Center)")
		}
	}
}

func isKey(text string) bool {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return false
	}
	if _, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return true
	}
	_, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	return err == nil
}
