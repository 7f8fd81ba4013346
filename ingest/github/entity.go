package github

import "meridian/ingest/event"

// Entities are named by GitHub's numbers, which survive a rename and a transfer.

func repositoryEntity(repo int64) event.EntityID {
	return event.EntityID("github/repo/" + number(repo))
}

func pullRequestEntity(repo, n int64) event.EntityID {
	return repositoryEntity(repo) + event.EntityID("/pr/"+number(n))
}

func issueEntity(repo, n int64) event.EntityID {
	return repositoryEntity(repo) + event.EntityID("/issue/"+number(n))
}

func workflowRunEntity(repo, id int64) event.EntityID {
	return repositoryEntity(repo) + event.EntityID("/run/"+number(id))
}

func releaseEntity(repo, id int64) event.EntityID {
	return repositoryEntity(repo) + event.EntityID("/release/"+number(id))
}

func deploymentEntity(repo, id int64) event.EntityID {
	return repositoryEntity(repo) + event.EntityID("/deployment/"+number(id))
}
