package e2e_test

import (
	"net"
	"path/filepath"
	"strings"
	"testing"

	"meridian/e2e/instance"
)

// An instance that cannot start says why in one sentence, with what to do, and by its exit code.
func TestServe_ThatCannotStart(t *testing.T) {
	dir := instance.Folder(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	running := instance.Serve(t, instance.Config{Dir: filepath.Join(dir, "in-use")})
	file := func(name, text string) string { return instance.Write(t, dir, name, text) }
	data := filepath.Join(dir, "data")

	for _, c := range []struct {
		name string
		args []string
		env  []string
		code int
		says []string
	}{
		{"a catalog that is not there", []string{"--config", file("1.yaml", "catalog: "+dir+"/nowhere.yaml")}, nil, 3, []string{"nowhere.yaml", "no such file"}},
		{"a catalog that is no YAML", []string{"--config", file("2.yaml", "catalog: "+file("broken.yaml", "teams:\n  - {name: web\n"))}, nil, 3, []string{"broken.yaml:"}},
		{"a catalog with two mistakes", []string{"--config", file("3.yaml", "catalog: "+file("odd.yaml", "zone: Mars/Olympus\nteams:\n  - {name: web, colour: red}\n"))}, nil, 3, []string{"odd.yaml:1", "Mars/Olympus", "odd.yaml:3", "colour"}},
		{"unknown keys", []string{"--config", file("4.yaml", "listen: 127.0.0.1:0\nlisten_port: 80\nkafka:\n  broker: x\n")}, nil, 3, []string{"4.yaml:2", "listen_port", "4.yaml:4", "broker"}},
		{"an unknown variable", nil, []string{"MERIDIAN_LISTEM=127.0.0.1:0"}, 3, []string{"MERIDIAN_LISTEM"}},
		{"a source without a secret", []string{"--config", file("5.yaml", "sources: {github: [{name: acme}]}")}, nil, 3, []string{"5.yaml:1", "sources.github[0]", "secret"}},
		{"an unknown flag", []string{"--port", "80"}, nil, 2, []string{"--port", "meridian serve --help"}},
		{"a data directory in use", []string{"--data-dir", filepath.Join(dir, "in-use")}, nil, 4, []string{"in use by another process", "--data-dir"}},
		{"a port in use", []string{"--listen", taken.Addr().String()}, nil, 4, []string{"cannot listen on " + taken.Addr().String(), "--listen"}},
		{"no libchdb", nil, []string{"MERIDIAN_CHDB_LIB=" + dir + "/nowhere.so"}, 4, []string{"nowhere.so", "meridian doctor --fetch"}},
		{"no cached libchdb", nil, []string{"HOME=" + dir, "XDG_CACHE_HOME=" + dir, "MERIDIAN_CHDB_LIB="}, 4, []string{"meridian doctor --fetch"}},
		{"a broker that is not there", []string{"--config", file("6.yaml", "kafka: {brokers: ['"+closedPort(t)+"']}")}, nil, 4, []string{"127.0.0.1:"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := append([]string{"serve", "--listen", "127.0.0.1:0", "--data-dir", data}, c.args...)
			o := instance.Command{Args: args, Env: c.env, Dir: dir}.Run(t)
			if o.Code != c.code {
				t.Errorf("exit code %d, want %d", o.Code, c.code)
			}
			for _, part := range c.says {
				if !strings.Contains(o.Err, part) {
					t.Errorf("it does not say %q:\n%s", part, o.Err)
				}
			}
			if strings.Contains(o.Err, "Meridian is running") {
				t.Errorf("it gave an address all the same:\n%s", o.Err)
			}
			if o.Out != "" {
				t.Errorf("it wrote to standard output: %s", o.Out)
			}
			if strings.Contains(o.Err, "goroutine ") {
				t.Errorf("it panicked:\n%s", o.Err)
			}
		})
	}
	running.AwaitParts()
}

// closedPort is an address at which nobody listens.
func closedPort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
