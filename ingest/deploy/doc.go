// Package deploy decodes what deploy systems say: the generic deployment, which is
// the JSON that Meridian itself defines (Decoder), notifications of Argo CD (ArgoCD)
// and CDEvents (CDEvents).
//
// It knows those formats. It does not know which environment is production, nor
// which service a name means: the catalog does.
//
// Surprising things:
//
//   - Because the generic format is ours, a body that breaks it is the sender's to mend: an
//     error that names the field, answered with 400 and not kept. A field that the
//     format does not have is ignored, so that senders of a later version work.
//   - A body may list deployments, and each may deploy several services: one event
//     for each service. Source, id and service are a deployment's identity; a later
//     body tells its new state. rolled_back repeats the id of what was rolled back.
//   - An Argo CD notification is dated by the end of its sync, which may be weeks ago,
//     and counts only when the application is healthy: the same sync is told several
//     times, and removals say Healthy and Succeeded too.
//   - Names of the generic format's fields are read as they are written: "ID" is another field than "id".
package deploy
