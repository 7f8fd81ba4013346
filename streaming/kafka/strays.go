package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"

	"meridian/streaming"
)

// ErrGroupInUse says that a process still is a member of a consumer group. One that
// has died is none after its session timeout.
var ErrGroupInUse = errors.New("a process is still a member of the group")

// ErrGroupsHidden says that a broker does not list consumer groups.
var ErrGroupsHidden = errors.New("the broker does not list its groups")

// Denied reports whether a broker has refused something for good: its rules do not
// allow it, or it does not know how.
func Denied(err error) bool {
	for _, e := range []error{kerr.TopicAuthorizationFailed, kerr.GroupAuthorizationFailed, kerr.ClusterAuthorizationFailed, kerr.TopicDeletionDisabled, kerr.UnsupportedVersion} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// DropGroups deletes consumer groups, such as those of a generation that is gone:
// brokers keep a group's offsets, and list it, for as long as its topics are there.
// One that is gone already is no error; one that somebody is a member of is
// ErrGroupInUse.
func DropGroups(ctx context.Context, c Config, groups ...string) error {
	_, err := withAdmin(c, func(adm *kadm.Client) (struct{}, error) {
		answers, err := adm.DeleteGroups(ctx, groups...)
		if err != nil {
			return struct{}{}, fmt.Errorf("kafka: delete groups %s: %w", strings.Join(groups, ", "), err)
		}
		var errs []error
		for _, group := range groups {
			err := answers[group].Err
			switch {
			case err == nil, errors.Is(err, kerr.GroupIDNotFound):
			case errors.Is(err, kerr.NonEmptyGroup):
				errs = append(errs, fmt.Errorf("kafka: delete group %s: %w", group, ErrGroupInUse))
			default:
				errs = append(errs, fmt.Errorf("kafka: delete group %s: %w", group, err))
			}
		}
		return struct{}{}, errors.Join(errs...)
	})
	return err
}

// Generations returns the generations that the broker has anything of, by number: a
// topic of their events, or a group of one of the stages. It lists all topics and
// groups that the broker shows. With ErrGroupsHidden it returns those that have a topic.
func Generations(ctx context.Context, c Config, stages ...string) ([]streaming.Generation, error) {
	prefixes := []string{c.prefix() + ".events."}
	for _, stage := range stages {
		prefixes = append(prefixes, c.prefix()+"."+stage+".")
	}
	return withAdmin(c, func(adm *kadm.Client) (found []streaming.Generation, err error) {
		topics, err := adm.ListTopics(ctx)
		if err != nil {
			return nil, fmt.Errorf("kafka: list topics: %w", err)
		}
		groups, err := adm.ListGroups(ctx)
		if err != nil {
			err = fmt.Errorf("kafka: list groups: %w: %w", ErrGroupsHidden, err)
		}
		for _, name := range slices.Concat(topics.Names(), groups.Groups()) {
			for _, prefix := range prefixes {
				rest, ours := strings.CutPrefix(name, prefix)
				if n, err := strconv.ParseUint(rest, 10, 24); ours && err == nil && n != 0 {
					found = append(found, streaming.Generation(n))
				}
			}
		}
		slices.Sort(found)
		return slices.Compact(found), err
	})
}
