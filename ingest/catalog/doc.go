// Package catalog knows who works where: people and their accounts, teams and
// what they own, services, environments, working hours, holidays and incident
// rules, each with the dates between which it holds. It is read from one YAML
// file or a folder of them, and answers pure questions about events.
//
// It does not know when anything happened other than what it is asked about,
// which metric asks, or what a provider's payload looks like. It reads no
// clock, and a catalog never changes once it is loaded: another file is another
// catalog, and another generation of numbers.
//
// Surprising things:
//
//   - No catalog is a catalog too ([Empty]): then a repository, a Jira project
//     or a service is its own team, and people are known by their accounts.
//   - Ownership is asked at the creation of the entity, not at the time of the
//     event, so that a pull request does not change hands in the middle.
//   - Who names a deployment's service owns it, before the owner of the
//     repository that it was deployed from.
//   - Dates are local: a membership ends at midnight in the person's own zone,
//     which may itself depend on the date. Entries may overlap; the one that began
//     later holds, so that a stay abroad is written beside the rule it interrupts.
//   - Hours, weekend and holidays are looked up each by itself: the person's, else
//     the team's, else the organisation's. A mapping of weekdays speaks of the
//     days that it names and leaves the others to the next level.
//   - The organisation's holidays are those called default, else the first in the
//     file that no person and no team names. A calendar of the library need not be
//     declared: holidays: de-by is enough.
//   - Addresses in the file are compared by their HMAC, because events carry
//     nothing else.
package catalog
