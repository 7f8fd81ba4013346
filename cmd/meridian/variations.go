package main

import (
	"fmt"
	"slices"
	"strings"

	"meridian/cmd/meridian/config"
	"meridian/metrics"
)

// variationsOf returns what the configuration declares.
func variationsOf(c config.Metrics) []metrics.Variation {
	var list []metrics.Variation
	for _, v := range c.Variations {
		list = append(list, metrics.Variation{
			Name: metrics.Name(v.Name), Of: metrics.Name(v.Of), Title: v.Title,
			Start: metrics.StartFact(v.Start), Environments: v.Environments, People: metrics.Whose(v.People),
		})
	}
	return list
}

// pinnedVariations are as a generation pins them: by name, and without titles,
// which change no row.
func pinnedVariations(c config.Metrics) []metrics.Variation {
	list := variationsOf(c)
	for i := range list {
		list[i].Title = ""
	}
	slices.SortFunc(list, func(a, b metrics.Variation) int { return strings.Compare(string(a.Name), string(b.Name)) })
	return list
}

// definitionsOf returns the metrics that are computed: the built-in ones and
// variations of them, but those that are switched off.
func definitionsOf(disabled []string, variations []metrics.Variation) ([]*metrics.Definition, error) {
	all, err := metrics.With(variations)
	if err != nil {
		return nil, withCode(exitConfig, err)
	}
	for _, name := range disabled {
		if !slices.ContainsFunc(all, func(d *metrics.Definition) bool { return string(d.Name) == name }) {
			return nil, withCode(exitConfig, fmt.Errorf("metrics.disabled: no metric is called %q; `meridian metrics list` names them all", name))
		}
	}
	return slices.DeleteFunc(all, func(d *metrics.Definition) bool { return slices.Contains(disabled, string(d.Name)) }), nil
}

func checkMetrics(c config.Metrics) error {
	_, err := definitionsOf(c.Disabled, variationsOf(c))
	return err
}

// everyMetric returns the built-in metrics and the variations that the
// configuration declares, and which of them it switches off. A configuration
// that cannot be read hides none of the built-in ones.
func (a *app) everyMetric() (all []*metrics.Definition, disabled []string, err error) {
	c, err := a.config(nil)
	if err == nil {
		all, err = metrics.With(variationsOf(c.Metrics))
	}
	if err != nil {
		a.log.Warn("only the built-in metrics are listed: the configuration cannot be used", "error", err)
		return metrics.Definitions(), nil, nil
	}
	return all, slices.Concat([]string{}, c.Metrics.Disabled), nil
}

// metricNames are the names of all metrics that a catalog may set targets for.
func (a *app) metricNames() (names []string) {
	all, _, _ := a.everyMetric() // it warns itself where it knows the built-in ones alone
	for _, d := range all {
		names = append(names, string(d.Name))
	}
	return names
}
