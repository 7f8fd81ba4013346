package config

import "meridian/streaming/timeline"

// Config is the whole configuration.
type Config struct {
	Listen         string   `yaml:"listen"`          // pages and API; webhooks too, unless WebhookListen is set
	WebhookListen  string   `yaml:"webhook_listen"`  // a second address that answers /webhooks/ and /livez only
	AdminListen    string   `yaml:"admin_listen"`    // jobs, metrics, debug and pprof on an address too, besides the socket
	BaseURL        string   `yaml:"base_url"`        // how people reach it, path included
	TrustedProxies []string `yaml:"trusted_proxies"` // addresses or CIDR ranges whose X-Forwarded-For counts
	DataDir        string   `yaml:"data_dir"`
	AccessLog      bool     `yaml:"access_log"` // a line of the log for each webhook request, without anything secret
	Catalog        string   `yaml:"catalog"`    // file or folder; a missing default file is an empty catalog
	Zone           string   `yaml:"zone"`       // instance zone, where nothing better is known

	Sources     Sources     `yaml:"sources"`
	Kafka       Kafka       `yaml:"kafka"`
	ClickHouse  ClickHouse  `yaml:"clickhouse"`
	Time        Time        `yaml:"time"`
	Metrics     Metrics     `yaml:"metrics"`
	Generations Generations `yaml:"generations"`
	Replay      Replay      `yaml:"replay"`
	Archive     Archive     `yaml:"archive"`
	Retention   Retention   `yaml:"retention"`
	Privacy     Privacy     `yaml:"privacy"`
	Auth        Auth        `yaml:"auth"`
	APIs        APIs        `yaml:"apis"`
}

// Sources are the webhook endpoints, by provider.
type Sources struct {
	GitHub   []Source `yaml:"github"`
	Jira     []Source `yaml:"jira"`
	Deploy   []Source `yaml:"deploy"`
	ArgoCD   []Source `yaml:"argocd"`
	CDEvents []Source `yaml:"cdevents"`
}

// ByProvider returns the sources under the name of their endpoint, in the order
// in which pages list them.
func (s Sources) ByProvider() []ProviderSources {
	return []ProviderSources{
		{"github", s.GitHub}, {"jira", s.Jira}, {"deploy", s.Deploy}, {"argocd", s.ArgoCD}, {"cdevents", s.CDEvents},
	}
}

// ProviderSources are the sources of one provider.
type ProviderSources struct {
	Provider string
	Sources  []Source
}

// Source is one webhook endpoint.
type Source struct {
	Name    string   `yaml:"name"`    // POST /webhooks/<provider>/<name>
	Verify  string   `yaml:"verify"`  // hmac (default), bearer or url_token
	Secrets []string `yaml:"secrets"` // one or two, so that they can be rotated
	Limit   Bytes    `yaml:"limit"`   // of a body; 0: 25 MiB for GitHub, 10 MiB for others
}

// Kafka says where the log is. Without brokers it is embedded.
type Kafka struct {
	Brokers     []string `yaml:"brokers"`
	TLS         TLS      `yaml:"tls"`
	SASL        SASL     `yaml:"sasl"`
	TopicPrefix string   `yaml:"topic_prefix"`
}

// TLS secures connections to brokers.
type TLS struct {
	Enabled bool   `yaml:"enabled"`
	CA      string `yaml:"ca"`   // PEM file; default: the system's
	Cert    string `yaml:"cert"` // PEM file, with Key: client certificate
	Key     string `yaml:"key"`
}

// SASL signs in at brokers.
type SASL struct {
	Mechanism string `yaml:"mechanism"` // plain, scram-sha-256 or scram-sha-512
	Username  string `yaml:"username"`
	Password  string `yaml:"password"`
}

// ClickHouse says where results are stored. Without a DSN it is embedded.
type ClickHouse struct {
	DSN     string `yaml:"dsn"`     // http(s)://user:password@host:8123/database
	Cluster string `yaml:"cluster"` // ON CLUSTER and replicated engines
}

// Time holds the settings of event time. They change results, so a change
// begins a new generation.
type Time struct {
	Horizon    Length `yaml:"horizon"` // at least 31 days
	Bounds     Bounds `yaml:"bounds"`
	FutureSkew Length `yaml:"future_skew"`

	// LateBudget is the share of a source's events that may come later than its
	// bound before somebody is told. It changes no result.
	LateBudget float64 `yaml:"late_budget"`
}

// Bounds are how far out of order each family of sources may be.
type Bounds struct {
	GitHub Length `yaml:"github"`
	Jira   Length `yaml:"jira"`
	Deploy Length `yaml:"deploy"`
}

// Metrics switches metrics off, and declares variations of built-in ones.
type Metrics struct {
	Disabled   []string    `yaml:"disabled"`
	Variations []Variation `yaml:"variations"`
}

// Variation is a built-in metric that starts with another fact, is about other
// environments or about other people, under a name of its own.
type Variation struct {
	Name         string   `yaml:"name"`
	Of           string   `yaml:"of"`              // the built-in metric
	Title        string   `yaml:"title,omitempty"` // made of the name where it is empty
	Start        string   `yaml:"start,omitempty"` // opened, ready or requested; of failed_deployment_recovery_time: incident
	Environments []string `yaml:"environments,omitempty"`
	People       string   `yaml:"people,omitempty"` // bots or everyone
}

// Generations says when a recomputed history takes over.
type Generations struct {
	Promote     string `yaml:"promote"` // auto or manual
	MinInterval Length `yaml:"min_interval"`
	Keep        int    `yaml:"keep"`
}

// Replay tunes recomputation; none of it changes a result.
type Replay struct {
	MaxRate  int64 `yaml:"max_rate"` // deliveries a second; 0: no limit
	MaxProcs int   `yaml:"max_procs"`
	Memory   Bytes `yaml:"memory"`
}

// Archive says where sealed deliveries lie.
type Archive struct {
	Dir string `yaml:"dir"` // default: archive in the data directory
}

// Retention says how long things are kept; 0: for ever.
type Retention struct {
	Deliveries Length `yaml:"deliveries"`
	Points     Length `yaml:"points"`
}

// Privacy protects person metrics.
type Privacy struct {
	MinPeople int `yaml:"min_people"` // distinct people below which a person metric is withheld; at least 2
}

// Auth says how people sign in, and what they may do then.
type Auth struct {
	Mode         string      `yaml:"mode"`  // token, oidc, proxy_header; none is for the demo alone
	Token        string      `yaml:"token"` // bearer token with which programs such as Grafana read the API; empty: none
	Issuer       string      `yaml:"issuer"`
	ClientID     string      `yaml:"client_id"`
	ClientSecret string      `yaml:"client_secret"`
	Groups       []AuthGroup `yaml:"groups"`
	GroupsClaim  string      `yaml:"groups_claim"`  // of the ID token; empty: groups
	Header       string      `yaml:"header"`        // in which the proxy says who it is
	GroupsHeader string      `yaml:"groups_header"` // in which it says their groups, between commas; empty: it does not
	From         []string    `yaml:"from"`          // the proxy's addresses
}

// AuthGroup says what those in a group may do and see.
type AuthGroup struct {
	Name    string   `yaml:"name"`              // as the provider or the proxy names it; "*": everybody who is signed in
	Members []string `yaml:"members,omitempty"` // more who are in it: subjects of the issuer, or names that the proxy sends
	Roles   []string `yaml:"roles,omitempty"`   // viewer (default), people, admin
	Teams   []string `yaml:"teams,omitempty"`   // names, with * for any part; empty: every team
}

// Default returns the configuration of an empty file.
func Default() Config {
	return Config{
		Listen:      "127.0.0.1:8080",
		DataDir:     "./meridian-data",
		Catalog:     DefaultCatalog,
		Zone:        "UTC",
		Kafka:       Kafka{TopicPrefix: "meridian"},
		Time:        Time{Horizon: days(92), Bounds: Bounds{GitHub: minutes(5), Jira: minutes(15), Deploy: minutes(10)}, FutureSkew: minutes(10), LateBudget: 0.01},
		Generations: Generations{Promote: "auto", MinInterval: Length(6 * timeline.Hour), Keep: 1},
		Replay:      Replay{MaxProcs: 1, Memory: 512 << 20},
		Retention:   Retention{Deliveries: days(550)},
		Privacy:     Privacy{MinPeople: 5},
		Auth:        Auth{Mode: "token"},
	}
}

// DefaultCatalog is read when it exists; a catalog that was named must exist.
const DefaultCatalog = "catalog.yaml"

func days(n timeline.Millis) Length    { return Length(n * timeline.Day) }
func minutes(n timeline.Millis) Length { return Length(n * timeline.Minute) }
