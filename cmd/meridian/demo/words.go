package demo

// Titles are put together from these. They hold no issue key, no "revert" and no
// "hotfix": those stand for something and are added on purpose.

func verbs() []string {
	return []string{"Speed up", "Simplify", "Rewrite", "Test", "Document", "Retry", "Cache", "Log", "Validate", "Paginate", "Translate", "Split", "Rename", "Measure", "Tidy", "Harden"}
}

func things() []string {
	return []string{
		"the basket", "address forms", "price rounding", "voucher codes", "the order list", "refund requests", "card expiry", "bank holidays",
		"settlement files", "the sign-in page", "session cookies", "push messages", "the offline queue", "image uploads", "thumbnail sizes",
		"search synonyms", "index refreshes", "password hints", "rate limits", "audit lines", "currency tables", "retry timers", "feature switches",
	}
}

func files() []string {
	return []string{"handler.go", "store.go", "model.go", "view.ts", "form.ts", "client.go", "worker.go", "rules.go", "table.sql", "page.css"}
}

func (w *world) title() string { return pick(w.dice, verbs()) + " " + pick(w.dice, things()) }

func (w *world) file(folder string) string { return folder + pick(w.dice, files()) }
