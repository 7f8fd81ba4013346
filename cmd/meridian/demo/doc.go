// Package demo makes up an organisation, Quillhaven, which sells things and does
// not exist: who works there, ninety days of what its systems told, and what they
// go on to tell. All of it follows from a seed and a moment. It makes a catalog,
// a delivery archive and signed requests, and nothing reaches Meridian but through
// these; it knows the shapes of GitHub's, Jira's and the generic deployment's
// payloads, and neither decoders nor metrics.
//
// # The people
//
// Twenty-eight people work there in six zones, one of them 45 minutes off; one works
// nights, one 6 hours on four days, one changes teams after 60 days. Two help out
// and stand in no catalog. Everybody has a rhythm: days on leave, hours of their
// own, an evening now and then. Nobody answers before they are at work, so weekends
// and nights between zones are part of every wait.
//
// # The stories
//
//   - storefront (Berlin) reviews small changes within the hour and deploys twice a
//     day. In the tenth week it has incidents every day: reviews wait, hotfixes go
//     out, deployments fail and are rolled back.
//   - payments (São Paulo) writes large changes, waits a day and longer for a
//     review, argues, and deploys on Tuesdays, through the generic endpoint, which
//     says rolled_back of one in twelve.
//   - mobile (Ho Chi Minh City, with colleagues in Kolkata and Kathmandu) launches
//     at the end of the sixth week: for nine days a good third of what it does happens in
//     the evening or at the weekend, and it deploys at night. In the third week its
//     hooks fail for a working day, and deliver it all that night.
//   - platform (California and Kolkata) lives in a repository of three services. It
//     begins with reviews that take days, and gets better week by week; it deploys
//     ever more often.
//
// # The traps
//
// Deliveries that come twice or thrice under one name, minutes or days late and out
// of order; two webhooks for one comment; a hook that sends forms; drafts that come
// and go, reviews of one's own change, instant reviews by a bot, reviews after the
// merge and by an account that is gone; merges by GitHub; branches that are deleted;
// a commit with an offset that no place has; a review from 2099; a pull request
// without a time; a ping, and types that nobody reads. A test asserts that every one
// of them is in every history.
//
// # Surprising things
//
//   - The history is played each time that somebody asks for it; an Organisation
//     keeps none of it. Pull requests are played one after the other, each to its end, and
//     sorted by receipt afterwards; so pushes to default branches and deployments
//     come last, when it is known what was merged when.
//   - What had not arrived at the moment is no part of the history. Live delivers it.
//   - Live, two things happen a second instead of ten an hour, or nobody would stay
//     to watch. Counts rise accordingly; durations do not fall, because a change is
//     taken up 45 minutes after it was opened at the earliest. Until there are such,
//     people take up changes of which the hooks had not told; their payloads say when
//     they were opened. Where nobody is at work, mostly machines are.
//   - There are no floats in it, so the bytes are the same on every machine.
package demo
