package event

import "testing"

func TestSame(t *testing.T) {
	for _, tc := range []struct {
		name string
		a, b Account
		want bool
	}{
		{"one key, two logins: renamed", Account{Provider: "github", Key: "1", Login: "mai"}, Account{Provider: "github", Key: "1", Login: "mai-new"}, true},
		{"two keys, one login: taken over", Account{Provider: "github", Key: "1", Login: "mai"}, Account{Provider: "github", Key: "2", Login: "mai"}, false},
		{"no key on one side", Account{Provider: "github", Key: "1", Login: "Mai"}, Account{Provider: "github", Login: "mai"}, true},
		{"no login on one side", Account{Provider: "github", Key: "1"}, Account{Provider: "github", Login: "mai"}, false},
		{"one key at two providers", Account{Provider: "github", Key: "1"}, Account{Provider: "jira", Key: "1"}, false},
		{"one address at two providers", Account{Provider: "github", Login: "mai", Email: "e"}, Account{Provider: "git", Email: "e"}, true},
		{"no address on both sides", Account{Provider: "git", Bot: true}, Account{Provider: "git", Bot: true}, false},
		{"nobody", Account{}, Account{}, false},
	} {
		if tc.a.Same(tc.b) != tc.want || tc.b.Same(tc.a) != tc.want {
			t.Errorf("%s: not %v", tc.name, tc.want)
		}
	}
}
