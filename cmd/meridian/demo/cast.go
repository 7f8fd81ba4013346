package demo

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"meridian/streaming/timeline"
)

// Everybody and everything here is invented. Names of people are given names only,
// and addresses end in .example.
const (
	company = "quillhaven"
	site    = "https://quillhaven.example.net" // Jira
)

// person is somebody who works there.
type person struct {
	name  string
	login string
	team  string // "" for people in no team
	moved string // the team from the move on, for the one who changes it
	zone  *timeline.Zone
	hours string // "" for the team's
	leave map[timeline.Date]bool

	id       int64  // at GitHub
	account  string // at Jira
	email    string
	schedule *timeline.WeeklySchedule
	known    bool // in the catalog
	busy     int  // changes a thousand working days
	owl      int  // how many of a thousand answers come after hours
}

// team is a team, with what makes its numbers differ from the others'.
type team struct {
	name, group, zone, hours string
	project                  string // Jira
	repositories             []*repository
	services                 []*service

	pickup  timeline.Millis // median wait for a first review, in working time of the reviewer
	size    int             // median lines of a change
	rounds  int             // of a thousand first reviews, how many ask for changes
	failing int             // of a thousand deployments
	robot   bool            // a bot reviews every change within a minute
}

type repository struct {
	id     int64
	name   string
	team   *team
	form   bool   // its hook sends forms
	squash bool   // merges are squashed, else they are merge commits
	folder string // where most of its files lie

	number int64 // of the latest pull request
	tip    string
	main   []mainline
}

// mainline is a state of a repository's default branch.
type mainline struct {
	at  timeline.Millis
	sha string
}

type service struct {
	name       string
	repository *repository
	team       *team
	paths      string // in a repository of several
	called     string // what the deploy system calls it; "" for its name
	component  string // of its incidents
	through    string // github or deploy
	production string // name of the environment
}

// cast is who and what there is.
type cast struct {
	teams        []*team
	people       []*person
	repositories []*repository
	services     []*service
}

const (
	berlin   = "Europe/Berlin"
	saoPaulo = "America/Sao_Paulo"
	saigon   = "Asia/Ho_Chi_Minh"
	kolkata  = "Asia/Kolkata"
	nepal    = "Asia/Kathmandu"
	pacific  = "America/Los_Angeles"
)

const (
	storefront = "storefront"
	payments   = "payments"
	mobile     = "mobile"
	platform   = "platform"
)

func newCast() *cast {
	c := &cast{}
	c.addTeams()
	c.addPeople()
	return c
}

func (c *cast) addTeams() {
	c.teams = []*team{
		{name: storefront, group: "shop", zone: berlin, hours: "09:00-18:00", project: "SHOP",
			pickup: 35 * timeline.Minute, size: 60, rounds: 150, failing: 30, robot: true},
		{name: payments, group: "shop", zone: saoPaulo, hours: "09:00-18:00", project: "PAY",
			pickup: 8 * timeline.Hour, size: 340, rounds: 420, failing: 120},
		{name: mobile, group: "apps", zone: saigon, hours: "08:30-17:30", project: "APP",
			pickup: 110 * timeline.Minute, size: 140, rounds: 240, failing: 60},
		{name: platform, group: "core", zone: pacific, hours: "09:00-17:30", project: "PLAT",
			pickup: 9 * timeline.Hour, size: 170, rounds: 300, failing: 50, robot: true},
	}
	repo := func(t int, name string, squash bool, folder string) *repository {
		r := &repository{id: 710_000_000 + 4_177*int64(len(c.repositories)+1), name: company + "/" + name, team: c.teams[t], squash: squash, folder: folder}
		c.teams[t].repositories = append(c.teams[t].repositories, r)
		c.repositories = append(c.repositories, r)
		return r
	}
	serve := func(r *repository, s service) {
		s.repository, s.team = r, r.team
		r.team.services = append(r.team.services, &s)
		c.services = append(c.services, &s)
	}
	serve(repo(0, "shop-web", true, "src/"), service{name: "shop-web", component: "Shop", through: "github", production: "production"})
	serve(repo(0, "checkout", true, "src/"), service{name: "checkout", component: "Checkout", through: "github", production: "production"})
	serve(repo(1, "payments-api", false, "internal/"), service{name: "payments-api", component: "Payments", through: "deploy", production: "prod-sa"})
	serve(repo(1, "ledger", false, "internal/"), service{name: "ledger", component: "Ledger", through: "deploy", production: "prod-sa"})
	serve(repo(2, "app-gateway", true, "gateway/"), service{name: "app-gateway", component: "App", through: "github", production: "live"})
	serve(repo(2, "notifications", true, "lib/"), service{name: "notifications", called: "notify-worker", component: "Notifications", through: "deploy", production: "live"})
	mono := repo(3, "platform", false, "services/")
	serve(mono, service{name: "identity", paths: "services/identity/", component: "Identity", through: "github", production: "production"})
	serve(mono, service{name: "search", paths: "services/search/", component: "Search", through: "github", production: "production"})
	serve(mono, service{name: "media", paths: "services/media/", component: "Media", through: "deploy", production: "production"})
	repo(3, "handbook", true, "pages/").form = true
}

func (c *cast) addPeople() {
	add := func(team, zone, hours string, busy, owl int, names ...string) {
		for _, name := range names {
			c.people = append(c.people, newPerson(c.team(team), name, zone, hours, busy, owl))
		}
	}
	add(storefront, berlin, "", 1_000, 20, "Annika", "Jonas", "Greta", "Pieter", "Elif")
	add(storefront, berlin, "{mon: \"08:00-14:00\", tue: \"08:00-14:00\", wed: \"08:00-14:00\", thu: \"08:00-14:00\", fri: \"\"}", 800, 10, "Tomasz")
	add(storefront, saoPaulo, "", 900, 40, "Beatriz")
	add(payments, saoPaulo, "", 600, 30, "Caio", "Renata", "Joaquim", "Isadora", "Thiago")
	add(payments, berlin, "10:00-19:00", 500, 30, "Lorenz")
	add(mobile, saigon, "", 850, 60, "Mai", "Linh", "Khoa", "Quyen", "Tuan")
	add(mobile, kolkata, "09:30-18:30", 800, 40, "Asha", "Farid")
	add(mobile, nepal, "10:00-18:00", 700, 30, "Sunita")
	add(platform, pacific, "", 850, 50, "Maya", "Owen", "Delia", "Marcus")
	add(platform, kolkata, "09:30-18:30", 850, 30, "Ishaan", "Kavya")
	add(platform, pacific, "22:00-06:00", 400, 10, "Rowan") // the night watch
	c.person("Tuan").moved = platform

	// Two who help out and stand in no catalog.
	for _, p := range []*person{
		newPerson(c.team(mobile), "Haruka", "Asia/Tokyo", "", 500, 80),
		newPerson(c.team(storefront), "Emil", "Europe/Copenhagen", "", 400, 80),
	} {
		p.known, p.login = false, p.login+"-ext"
		c.people = append(c.people, p)
	}
}

func newPerson(t *team, name, zone, hours string, busy, owl int) *person {
	sum := sha256.Sum256([]byte(name))
	login := lower(name)
	p := &person{
		name: name, login: login, team: t.name, zone: mustZone(zone), hours: hours, busy: busy, owl: owl, known: true,
		id:      40_000_000 + int64(binary.BigEndian.Uint32(sum[:4])%50_000_000),
		account: fmt.Sprintf("712020:%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16]),
		email:   login + "@" + company + ".example",
		leave:   map[timeline.Date]bool{},
	}
	if hours == "" {
		hours = t.hours
	}
	p.schedule = scheduleOf(hours)
	return p
}

func (c *cast) team(name string) *team {
	for _, t := range c.teams {
		if t.name == name {
			return t
		}
	}
	return nil
}

func (c *cast) person(name string) *person {
	for _, p := range c.people {
		if p.name == name {
			return p
		}
	}
	return nil
}

func (c *cast) service(name string) *service {
	for _, s := range c.services {
		if s.name == name {
			return s
		}
	}
	return nil
}
