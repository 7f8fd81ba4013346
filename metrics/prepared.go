package metrics

// Prepared is a Line that cannot tell which parts are touched before it knows the
// catalog: it is shown the view, without a part, right before it is asked.
type Prepared interface {
	Prepare(v View)
}
