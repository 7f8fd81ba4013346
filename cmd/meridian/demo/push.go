package demo

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"meridian/streaming/timeline"
)

const nowhere = "0000000000000000000000000000000000000000"

// commit is one by an author, at an author time.
func (w *world) commit(r *repository, by ghAuthor, zone *timeline.Zone, at timeline.Millis, message, folder string) ghCommit {
	id := w.sha()
	c := ghCommit{
		ID: id, TreeID: w.sha(), Distinct: true, Message: message, Timestamp: localTime(at, zone, time.RFC3339), URL: web(r.name + "/commit/" + id),
		Author: by, Committer: by, Added: []string{}, Removed: []string{}, Modified: []string{w.file(folder)},
	}
	if w.chance(300) {
		c.Added = append(c.Added, w.file(folder))
	}
	return c
}

func (p *person) author() ghAuthor { return ghAuthor{p.name, p.email, p.login} }

func (p *pull) authorOfCommits() (ghAuthor, *timeline.Zone) {
	if p.author != nil {
		return p.author.author(), p.author.zone
	}
	return ghAuthor{p.user.Login, fmt.Sprintf("%d+%s@users.noreply.github.com", p.user.ID, p.user.Login), p.user.Login}, timeline.UTC()
}

// pushBranch pushes commits of these author times to the branch of p.
func (w *world) pushBranch(p *pull, at timeline.Millis, authored []timeline.Millis, first bool) {
	by, zone := p.authorOfCommits()
	var commits []ghCommit
	for _, t := range authored {
		commits = append(commits, w.commit(p.repository, by, zone, t, p.title, p.folder()))
	}
	before := p.head
	if first {
		before = nowhere
	}
	p.head = commits[len(commits)-1].ID
	p.commits = append(p.commits, commits...)
	w.push(p.repository, at, "refs/heads/"+p.branch, before, p.head, commits, p.user)
}

func (w *world) push(r *repository, at timeline.Millis, ref, before, after string, commits []ghCommit, by *ghUser) {
	d := &ghPush{
		ghEnvelope: ghEnvelope{"", r.pushed(at), organization(), by},
		Ref:        ref, Before: before, After: after, Created: before == nowhere, Deleted: after == nowhere,
		Compare: web(fmt.Sprintf("%s/compare/%.12s...%.12s", r.name, before, after)),
		Commits: commits, Pusher: ghAuthor{Name: by.Login, Email: by.Login + "@" + company + ".example"},
	}
	if len(commits) > 0 {
		d.HeadCommit = &commits[len(commits)-1]
	} else {
		d.Commits = []ghCommit{}
	}
	w.github(at, r, "push", d)
}

func (w *world) deleteBranch(p *pull, at timeline.Millis, by *ghUser) {
	w.push(p.repository, at, "refs/heads/"+p.branch, p.head, nowhere, nil, by)
}

// arrival is something that reaches the default branch of a repository.
type arrival struct {
	at         timeline.Millis
	repository *repository
	sha        string
	commits    []ghCommit
	by         *ghUser
}

// pushMerge takes a merged pull request to the default branch. Pull requests are
// played one after the other, so in the history the pushes wait until all merges
// are known, for each begins where the one before it ended.
func (w *world) pushMerge(p *pull, at timeline.Millis) {
	by, zone := p.authorOfCommits()
	var commits []ghCommit
	if p.repository.squash {
		c := w.commit(p.repository, by, zone, at, fmt.Sprintf("%s (#%d)", p.title, p.number), p.folder())
		c.ID = p.mergeSHA
		commits = []ghCommit{c}
	} else {
		merge := w.commit(p.repository, by, zone, at, fmt.Sprintf("Merge pull request #%d from %s/%s\n\n%s", p.number, company, p.branch, p.title), p.folder())
		merge.ID = p.mergeSHA
		commits = append(slices.Clone(p.commits), merge)
	}
	w.arrive(arrival{at, p.repository, p.mergeSHA, commits, p.mergedBy})
}

func (w *world) arrive(a arrival) {
	if !w.live {
		w.arrivals = append(w.arrivals, a)
		return
	}
	w.pushMain(a)
}

func (w *world) pushMain(a arrival) {
	r := a.repository
	before := r.tip
	r.tip = a.sha
	r.main = append(r.main, mainline{a.at, a.sha})
	w.push(r, a.at, "refs/heads/main", before, a.sha, a.commits, a.by)
}

// pushArrivals pushes, in order, what has been merged in the history.
func (w *world) pushArrivals() {
	slices.SortStableFunc(w.arrivals, func(a, b arrival) int { return cmp.Compare(a.at, b.at) })
	for _, a := range w.arrivals {
		w.pushMain(a)
	}
	w.arrivals = nil
}

// mainAt is the default branch at a time, and how many arrivals it has had.
func (r *repository) mainAt(t timeline.Millis) (sha string, arrivals int) {
	n, _ := slices.BinarySearchFunc(r.main, t, func(m mainline, t timeline.Millis) int {
		if m.at <= t {
			return -1
		}
		return 1
	})
	if n == 0 {
		return "", 0
	}
	return r.main[n-1].sha, n
}

// straight is a commit to the default branch without a pull request.
func (w *world) straight(r *repository, p *person, at timeline.Millis) {
	c := w.commit(r, p.author(), p.zone, at-w.seconds(60, 1_200), w.title(), r.folder)
	w.arrive(arrival{at, r, c.ID, []ghCommit{c}, p.user()})
}
