package senders

// The people of the catalog below, on GitHub. In Jira they have the same names.
var (
	Mai    = User{"mai", 71, false}   // web, Ho Chi Minh City
	Jonas  = User{"jonas", 72, false} // web, Berlin
	Lena   = User{"lena", 73, false}  // shop, Berlin
	Ravi   = User{"ravi", 74, false}  // shop, Kolkata
	Ada    = User{"ada", 75, false}   // web and shop, Chicago
	Robot  = User{"copilot[bot]", 80, true}
	Nobody = User{"guest", 99, false} // whom no catalog knows
)

// The repositories of the catalog below.
var (
	Web  = Repository{42, "acme/web"}
	Shop = Repository{43, "acme/shop"}
)

// Catalog is an organisation of two teams in five zones, two of them with offsets that are no whole hours.
const Catalog = `zone: Europe/Berlin
teams:
  - {name: web, zone: Asia/Kolkata, repositories: [acme/web], jira: [WEB], services: [checkout], group: retail}
  - {name: shop, zone: America/Chicago, repositories: [acme/shop], jira: [SHOP], services: [cart, search], group: retail}
people:
  - {name: Mai, github: [mai], jira: ["712020:mai"], emails: [mai@acme.example], zone: Asia/Ho_Chi_Minh, teams: [web]}
  - {name: Jonas, github: [jonas], jira: ["712020:jonas"], zone: Europe/Berlin, teams: [web]}
  - {name: Lena, github: [lena], jira: ["712020:lena"], zone: Europe/Berlin, teams: [shop], hours: "22:00-06:00"}
  - {name: Ravi, github: [ravi], jira: ["712020:ravi"], zone: Asia/Kathmandu, teams: [shop]}
  - {name: Ada, github: [ada], jira: ["712020:ada"], zone: America/Chicago, teams: [web, shop]}
services:
  - {name: checkout, repositories: [acme/web]}
  - {name: cart, repositories: [acme/shop], deploys: ["cart*"]}
  - {name: search, deploys: ["search*"]}
`
