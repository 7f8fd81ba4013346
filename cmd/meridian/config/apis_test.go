package config

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func keyText(t *testing.T) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
}

// Secrets of APIs can stand in files of their own, and are not shown wherever
// they stand.
func TestSecretsOfAPIsComeFromFiles(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	key := keyText(t)
	file := write(t, "apis:\n  github:\n    - {token_file: "+put("token", "gh-secret\n")+"}\n    - {url: https://github.acme.example, app: {id: 7, private_key_file: "+put("key", key)+"}}\n"+
		"  jira: [{url: https://acme.atlassian.net, email: mai@acme.example, token_file: "+put("jira", "jira-secret")+"}]\n  reconcile: 6h\n")
	c, err := Load(file, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.APIs.GitHub[0].Token != "gh-secret" || c.APIs.GitHub[1].App.PrivateKey != strings.TrimSpace(key) || c.APIs.Jira[0].Token != "jira-secret" || c.APIs.Reconcile.Millis() != 6*3600*1000 {
		t.Errorf("%+v", c.APIs)
	}
	shown, err := c.YAML()
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"gh-secret", "jira-secret", "BEGIN"} {
		if strings.Contains(string(shown), secret) {
			t.Errorf("%s is shown:\n%s", secret, shown)
		}
	}
	if again, err := Load(write(t, string(shown)), nil, nil); err != nil || again.APIs.GitHub[0].Token != "gh-secret" {
		t.Errorf("what is shown reads back as %+v, %v", again.APIs, err)
	}
	// The whole list can come from one file, named by a variable.
	list := put("list", "[{token: listed-secret}]")
	if c, err := Load("", []string{"MERIDIAN_APIS_GITHUB_FILE=" + list}, nil); err != nil || len(c.APIs.GitHub) != 1 || c.APIs.GitHub[0].Token != "listed-secret" {
		t.Errorf("%+v, %v", c.APIs, err)
	}
}

func TestAllProblemsOfAPIsAtOnce(t *testing.T) {
	file := write(t, `apis:
  github:
    - {url: "github.acme.example"}
    - {token: top-secret, token_file: /nowhere/at/all}
    - {url: "https://a:top-secret@github.example", token_file: /nowhere/at/all}
    - {url: "https://three.example", app: {private_key: top-secret}}
    - {url: "https://four.example", app: {id: 7, private_key: top-secret}}
    - {url: "https://four.example/", token: top-secret, app: {id: 7}}
  jira:
    - {token: top-secret}
    - {url: "https://acme.atlassian.net"}
  reconcile: 5s
`)
	_, err := Load(file, nil, nil)
	var ps Problems
	if !errors.As(err, &ps) {
		t.Fatalf("%v", err)
	}
	text := strings.ReplaceAll(ps.Error(), file, "FILE")
	for _, want := range []string{
		`FILE:3: apis.github[0].url: "github.acme.example" is no address`,
		`FILE:3: apis.github[0]: needs a token or an app`,
		`FILE:4: apis.github[1].token_file: token stands there too`,
		`FILE:5: apis.github[2].token_file: cannot read the file`,
		`FILE:5: apis.github[2].url: holds a name or a password`,
		`FILE:6: apis.github[3].app: needs an id`,
		`FILE:7: apis.github[4].app.private_key: is no RSA key`,
		`FILE:8: apis.github[5].url: stands twice`,
		`FILE:8: apis.github[5]: has a token and an app`,
		`FILE:10: apis.jira[0]: needs a url`,
		`FILE:11: apis.jira[1]: needs an email`,
		`FILE:11: apis.jira[1]: needs a token`,
		`FILE:12: apis.reconcile: at least 10m`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("missing %q in:\n%s", want, text)
		}
	}
	if len(ps) != 13 || strings.Contains(text, "top-secret") {
		t.Errorf("%d problems, want 13 and no secret in them:\n%s", len(ps), text)
	}
}
