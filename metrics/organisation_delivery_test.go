package metrics_test

import (
	"fmt"
	"strings"

	"meridian/streaming/timeline"
)

// alone is an instant at which nothing else is pushed, near another.
func (o *organisation) alone(at timeline.Millis) timeline.Millis {
	return at + timeline.Millis(o.line)*timeline.Second
}

// commits names some new commits of a repository, one an hour before at.
func (o *organisation) commits(repository string, at timeline.Millis, n int) (shas, told []string) {
	for range n {
		sha := fmt.Sprintf("%s-%d", strings.TrimPrefix(repository, "acme/"), len(o.shas[repository]))
		o.shas[repository] = append(o.shas[repository], sha)
		shas = append(shas, sha)
		s := commitAt(at-timeline.Millis(o.rand.IntN(50))*timeline.Hour/4) + "=" + sha
		for _, path := range []string{"cart/a.go", "mail/b.go", "README.md"} {
			if o.chance(30) {
				s += "," + path
			}
		}
		told = append(told, s)
	}
	return shas, told
}

// delivery is a repository for some hours: pushes, pull requests and deployments.
// Some pushes are never told.
func (o *organisation) delivery(i int) {
	repository := o.pick("acme/web", "acme/shop", "acme/shop", "acme/other")
	service := map[string]string{"acme/web": "checkout", "acme/shop": o.pick("cart", "mail"), "acme/other": "other"}[repository]
	at := o.start()
	for step := range 2 + o.rand.IntN(6) {
		at += timeline.Millis(1+o.rand.IntN(30)) * 5 * timeline.Minute
		switch o.rand.IntN(7) {
		case 0:
			o.pushMain(repository, at)
		case 1, 2:
			at = o.pull(repository, at, 100*(i+1)+step)
		case 3:
			if shas := o.shas[repository]; len(shas) > 0 && o.chance(30) {
				o.say(o.alone(at), "pushed %s by mai forced after %s:", repository, o.pick(shas...))
				continue
			}
			fallthrough
		default:
			o.release(repository, service, at, fmt.Sprintf("run-%d-%d", i, step))
		}
	}
}

func (o *organisation) pushMain(repository string, at timeline.Millis) {
	_, told := o.commits(repository, at, 1+o.rand.IntN(3))
	if o.chance(20) {
		told[len(told)-1] = strings.Replace(told[len(told)-1], ",", "!,", 1)
		if !strings.Contains(told[len(told)-1], ",") {
			told[len(told)-1] += "!"
		}
	}
	who := o.pick("mai", "jonas", "stranger", "copilot[bot]", "acme-ci")
	if o.chance(80) {
		o.say(o.alone(at), "pushed %s by %s: %s", repository, who, strings.Join(told, " "))
	}
	if o.chance(15) { // rebased, or pushed once more
		again := told[0]
		if o.chance(50) {
			again = strings.Replace(again, "=", "=x", 1)
		}
		o.say(o.alone(at+timeline.Hour), "pushed %s by %s: %s", repository, who, again)
	}
	if o.chance(20) { // two of one second
		first, toldFirst := o.commits(repository, at, 1)
		_, toldNext := o.commits(repository, at, 1)
		now := o.alone(at + 2*timeline.Hour)
		o.say(now, "pushed %s by mai before %s: %s", repository, first[0], toldNext[0])
		o.say(now, "pushed %s by mai: %s", repository, toldFirst[0])
	}
}

// pull is a pull request that is squashed, merged or rebased into the branch.
func (o *organisation) pull(repository string, at timeline.Millis, number int) timeline.Millis {
	name, n := fmt.Sprintf("%s#%d", repository, number), 1+o.rand.IntN(3)
	shas, told := o.commits(repository, at, n)
	branch := o.pick("", "patch-1")
	from := ""
	if branch != "" {
		from = " from " + branch
		if o.chance(80) {
			o.say(at, "pushed %s@%s by mai: %s", repository, branch, strings.Join(told, " "))
		}
	}
	into := ""
	if o.chance(10) {
		into = " into develop"
	}
	o.say(at+5*timeline.Minute, "pr opened %s by %s%s%s", name, o.pick("mai", "jonas", "copilot[bot]"), from, into)
	if o.chance(60) {
		o.say(at+10*timeline.Minute, "pr reviewed %s by lena", name)
	}
	at += timeline.Millis(2+o.rand.IntN(30)) * 5 * timeline.Minute
	if o.chance(15) {
		return at
	}
	var merge string
	var pushed []string
	switch o.rand.IntN(3) {
	case 0: // squashed
		s, t := o.commits(repository, at, 1)
		merge, pushed = s[0], t
	case 1: // merged
		s, t := o.commits(repository, at, 1)
		merge, pushed = s[0], append(told, strings.Replace(t[0]+",", ",", "!,", 1))
		pushed[len(pushed)-1] = strings.TrimSuffix(pushed[len(pushed)-1], ",")
	default: // rebased
		for _, t := range told {
			pushed = append(pushed, strings.Replace(t, "=", "=r", 1))
		}
		merge = "r" + shas[len(shas)-1]
		o.shas[repository] = append(o.shas[repository], merge)
	}
	now := o.alone(at)
	commits := fmt.Sprintf(" commits %d", n)
	if o.chance(10) {
		commits = ""
	}
	o.say(now, "pr merged %s by jonas commit %s%s", name, merge, commits)
	if into == "" && o.chance(80) {
		o.say(now, "pushed %s by jonas: %s", repository, strings.Join(pushed, " "))
	}
	return at
}

// release is a deployment with what became of it.
func (o *organisation) release(repository, service string, at timeline.Millis, key string) {
	revision := ""
	switch shas := o.shas[repository]; {
	case len(shas) == 0 || o.chance(10):
		revision = o.pick("", " at nowhere")
	case o.chance(70):
		revision = " at " + shas[len(shas)-1]
	default:
		revision = " at " + o.pick(shas...)
	}
	begun := ""
	if o.chance(40) {
		begun = " begun " + (at - timeline.Millis(o.rand.IntN(4))*10*timeline.Minute).String()
	}
	more := o.pick("", "", "", " labelled hotfix", " labelled rollback big", " fixing OPS-1")
	environment := o.pick("production", "production", "production", "prod-2", "staging")
	from := ""
	if repository != "acme/shop" || o.chance(50) {
		from = " from " + repository
	}
	o.runs = append(o.runs, key)
	say := func(at timeline.Millis, state string) {
		o.say(at, "deploy %s %s of %s to %s%s%s%s%s", state, key, service, environment, from, revision, begun, more)
	}
	if o.chance(15) {
		say(at, "failure")
	}
	if o.chance(90) {
		say(at, "success")
	}
	if o.chance(20) {
		say(at+timeline.Millis(o.rand.IntN(20))*5*timeline.Minute, o.pick("rolled_back", "failure", "inactive", "success"))
	}
}

// trouble is an issue that may be an incident, of Jira or of GitHub.
func (o *organisation) trouble(i int) {
	key, at := fmt.Sprintf("OPS-%d", i+1), o.start()
	words := o.pick(" as Incident", " as Incident", " labelled sev1", " labelled sev1 service:mail", " labelled service:search", " as Story") +
		o.pick("", " component Cart", " component checkout")
	if len(o.runs) > 0 && o.chance(30) {
		words += " causedby " + o.pick(o.runs...)
	}
	github := o.chance(25)
	if github {
		key = fmt.Sprintf("%s#%d", o.pick("acme/web", "acme/other"), 5000+i)
		o.say(at, "issue created %s%s", key, words)
	} else {
		o.say(at, "issue created %s in %s%s", key, o.pick("To Do", "In Progress"), words)
	}
	now := "To Do"
	for range o.rand.IntN(5) {
		at += timeline.Millis(1+o.rand.IntN(60)) * 5 * timeline.Minute
		switch {
		case o.chance(20):
			o.say(at, "issue updated %s%s", key, o.pick(" as Story", " as Incident", " labelled sev1", " labelled big"))
		case github:
			o.say(at, "issue %s %s", o.pick("closed", "reopened"), key)
		default:
			next := o.pick("To Do", "In Progress", "Mitigated", "Done", "Closed")
			if next != now {
				o.say(at, "issue moved %s from %s to %s", key, now, next)
				now = next
			}
		}
	}
	if o.chance(8) {
		o.say(at+timeline.Hour, "issue deleted %s", key)
	}
}
