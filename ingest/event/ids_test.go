package event

import "testing"

// Natural ids are in the log and in every snapshot: they must never change.
func TestIDsNeverChange(t *testing.T) {
	const at = 1772442000000
	push := PushedID(42, "refs/heads/main", "aa", "bb", at)
	ids := []struct {
		name, want string
		id         ID
	}{
		{"opened", "7688d5431a3fe705089a962656902682", PullRequestOpenedID(42, 7)},
		{"merged", "ec9ba125fa36c2a9ea0853353911cd8d", PullRequestMergedID(42, 7)},
		{"closed", "b0406046bb2c1f3c069300272c53e7da", PullRequestClosedID(42, 7, at)},
		{"reopened", "5855a1c4489b766da4bcd3cedb3b559f", PullRequestReopenedID(42, 7, at)},
		{"ready", "2d3d72552a31ed9906f769d2a42877cb", PullRequestReadyID(42, 7, at)},
		{"drafted", "91a22d61fb085e9df9936bd7d29c79b7", PullRequestDraftedID(42, 7, at)},
		{"updated", "83fdf5e44cbee90e239774347d0dd8c1", PullRequestUpdatedID(42, 7, at, "head", "label")},
		{"review requested", "f38139a1c63bb2361f501023b308e7b8", ReviewRequestedID(42, 7, "583231", at)},
		{"review request removed", "1435d03514735697c953511c0c5f80a8", ReviewRequestRemovedID(42, 7, "583231", at)},
		{"review submitted", "5b7ffad0419f628758d9ea21aac57296", ReviewSubmittedID(42, 7, 991)},
		{"review dismissed", "271ae855276e28b36a96d74ac054758a", ReviewDismissedID(42, 7, 991)},
		{"review commented", "7b0bba6646c4d16e4eedf2e6f077f9d8", ReviewCommentedID(42, 7, 991)},
		{"commented", "640ae70f3fc41bc987f697b1bffbb898", PullRequestCommentedID(42, 7, 991)},
		{"pushed", "4225023a93af77a78da8b6a47d4a4e92", push},
		{"commit defective", "dcafc02e7afacf4863ed6cc7f0065400", CommitDefectiveID(push, 3, "cc")},
		{"deployment created", "3b2d54fc0663881927efbc2d7de8ae20", DeploymentCreatedID(42, 11)},
		{"deployment status", "abeca2997bf6781343a65e70d55ec3fa", DeploymentStatusID(42, 11, 12)},
		{"github issue", "30c9f41647daa9e7de6cd08a67a562bd", GitHubIssueFactID(42, 7, "closed", at)},
		{"deploy", "aa77fad8d0f47a06dcb1fb34a6064892", DeployStateID("ci", "run-42", "checkout", "production", DeploymentSuccess, at)},
		{"ref created", "4782a3ddb51080711f17a4c2540c756b", RefID(42, "refs/heads/x", false, at)},
		{"ref deleted", "352d82a8774b57c7f028b41110d0030f", RefID(42, "refs/heads/x", true, at)},
		{"commits read", "65eeab0d01b853b62269b5e15c8ae001", CommitsReadID(42, 7, "aa")},
		{"repository changed", "90ef15642f5aa7d91af6c11237b1aa79", RepositoryChangedID(42, "renamed", at)},
		{"workflow run", "32ddcedd4f75d3e94bb04590364773ca", WorkflowRunID(42, 777, DeploymentSuccess, at)},
		{"release", "cae56accfed15c02791b7726deb633bc", ReleasePublishedID(42, 888)},
		{"argocd", "5e15476239a88d8c93920756b1b74047", ArgoCDSyncID("prod", "checkout", []string{"aa", "bb"}, at, "Healthy")},
		{"cdevents", "2e95f6384f9496c18c9902e3aff22a08", CDEventID("ci", "/jenkins", "1", "checkout")},
		{"issue created", "f31df977269a218e3bb5eab89ead44fe", IssueCreatedID("acme.atlassian.net", "10010")},
		{"issue transitioned", "2f0dcb45184a58f1bb44a7212bd6d164", IssueTransitionedID("acme.atlassian.net", "10010", "20017", "1", "3", at)},
		{"issue transitioned without a change", "3a51e6cb11b82d463331cf21c2c3fd0a", IssueTransitionedID("acme.atlassian.net", "10010", "", "1", "3", at)},
		{"issue updated", "caefede35f93337feb6ca51bc45b3494", IssueUpdatedID("acme.atlassian.net", "10010", "20017", at)},
		{"issue updated without a change", "960cb0e21a7b03828d52aab2bac0e347", IssueUpdatedID("acme.atlassian.net", "10010", "", at, "labels")},
		{"issue deleted", "9bc26052c7b0bbf7e0ecdff647be101a", IssueDeletedID("acme.atlassian.net", "10010")},
		{"issue commented", "83f3a789610913fc4aad1cbd2c5a0eba", IssueCommentedID("acme.atlassian.net", "10082", at)},
	}
	seen := map[ID]string{}
	for _, x := range ids {
		if got := x.id.String(); got != x.want {
			t.Errorf("%s: id %s, want %s", x.name, got, x.want)
		}
		if other, ok := seen[x.id]; ok {
			t.Errorf("%s and %s have one id", x.name, other)
		}
		seen[x.id] = x.name
	}
}

// What makes two facts out of one, and what must not.
func TestIDsTellFactsApart(t *testing.T) {
	const at, later = 1772442000000, 1772442001000
	for name, differ := range map[string][2]ID{
		"two closes":                              {PullRequestClosedID(42, 7, at), PullRequestClosedID(42, 7, later)},
		"pull requests 1 of 42 and 21 of 4":       {PullRequestOpenedID(42, 1), PullRequestOpenedID(4, 21)},
		"two labels in one second":                {PullRequestUpdatedID(42, 7, at, "bug"), PullRequestUpdatedID(42, 7, at, "bug", "p1")},
		"labels that run together":                {PullRequestUpdatedID(42, 7, at, "ab", "c"), PullRequestUpdatedID(42, 7, at, "a", "bc")},
		"a force-push there and back":             {PushedID(42, "refs/heads/x", "a", "b", at), PushedID(42, "refs/heads/x", "a", "b", later)},
		"success and failure of a run":            {DeployStateID("ci", "1", "a", "prod", DeploymentSuccess, at), DeployStateID("ci", "1", "a", "prod", DeploymentFailure, at)},
		"two services of a run":                   {DeployStateID("ci", "1", "a", "prod", DeploymentSuccess, at), DeployStateID("ci", "1", "b", "prod", DeploymentSuccess, at)},
		"Degraded and Healthy":                    {ArgoCDSyncID("p", "a", []string{"r"}, at, "Degraded"), ArgoCDSyncID("p", "a", []string{"r"}, at, "Healthy")},
		"two moves of the status in one change":   {IssueTransitionedID("s", "1", "20", "1", "3", at), IssueTransitionedID("s", "1", "20", "3", "5", at)},
		"a transition and labels in one change":   {IssueTransitionedID("s", "1", "20", "1", "3", at), IssueUpdatedID("s", "1", "20", at)},
		"a review comment and a comment, one id":  {ReviewCommentedID(42, 7, 991), PullRequestCommentedID(42, 7, 991)},
		"the same status of two deployments' ids": {DeploymentStatusID(42, 1, 23), DeploymentStatusID(42, 12, 3)},
	} {
		if differ[0] == differ[1] {
			t.Errorf("%s have one id", name)
		}
	}
	if IssueTransitionedID("s", "1", "20", "1", "3", at) != IssueTransitionedID("s", "1", "20", "1", "3", later) {
		t.Error("a transition told with the webhook's time and with the history's is two facts")
	}
}
