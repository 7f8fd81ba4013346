package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"meridian/metrics"
	"meridian/streaming/timeline"
)

// release is set by the linker: -X main.release=v0.1.0.
var release = "dev"

type versionInfo struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Logic    string `json:"logic"` // of metrics; a change begins a new generation
	Zones    string `json:"zones"` // hash of the time zone data
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func thisVersion() versionInfo {
	v := versionInfo{Version: release, Logic: metrics.LogicVersion, Zones: timeline.DataHash(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				v.Revision = s.Value
			}
		}
	}
	return v
}

func (a *app) versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "version", Short: "Print the version, and what numbers depend on", Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			v := thisVersion()
			if asJSON {
				return json.NewEncoder(a.out).Encode(v)
			}
			_, err := fmt.Fprintf(a.out, "meridian %s\nlogic    %s\nzones    %s\ngo       %s %s\n", v.Version, v.Logic, v.Zones, v.Go, v.Platform)
			return err
		}}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}
