package event

func (d *Deployment) append(b []byte, number uint64) []byte {
	if d == nil {
		return b
	}
	b, start := open(b, number)
	b = appendText(b, 1, d.Key)
	b = appendUint(b, 2, uint64(d.State))
	b = appendMillis(b, 3, d.Created)
	b = appendMillis(b, 4, d.Started)
	b = appendMillis(b, 5, d.Finished)
	b = appendBool(b, 6, d.SaysProduction)
	b = appendTexts(b, 7, d.Revisions)
	b = appendText(b, 8, d.Ref)
	b = appendText(b, 9, d.Task)
	b = d.Creator.append(b, 10)
	b = appendTexts(b, 11, d.Labels)
	b = d.Marks.append(b, 12)
	b = appendText(b, 13, d.FixesIncident)
	b = appendText(b, 14, d.URL)
	b = appendText(b, 15, d.OriginalService)
	b = appendBool(b, 16, d.OnlyIfNamed)
	b = appendBool(b, 17, d.OfPrevious)
	return shut(b, start)
}

func (d *Deployment) decode(b []byte, n *names) error {
	r := reader{rest: b, names: n}
	for r.next() {
		switch r.tag {
		case 1<<3 | wireBytes:
			d.Key = r.text()
		case 2<<3 | wireVarint:
			d.State = DeploymentState(r.small())
		case 3<<3 | wireVarint:
			d.Created = r.millis()
		case 4<<3 | wireVarint:
			d.Started = r.millis()
		case 5<<3 | wireVarint:
			d.Finished = r.millis()
		case 6<<3 | wireVarint:
			d.SaysProduction = r.bool()
		case 7<<3 | wireBytes:
			d.Revisions = append(d.Revisions, r.text())
		case 8<<3 | wireBytes:
			d.Ref = r.name()
		case 9<<3 | wireBytes:
			d.Task = r.name()
		case 10<<3 | wireBytes:
			r.fail(n.account(r.data, &d.Creator))
		case 11<<3 | wireBytes:
			d.Labels = append(d.Labels, r.name())
		case 12<<3 | wireBytes:
			r.fail(d.Marks.decode(r.data))
		case 13<<3 | wireBytes:
			d.FixesIncident = r.text()
		case 14<<3 | wireBytes:
			d.URL = r.text()
		case 15<<3 | wireBytes:
			d.OriginalService = r.name()
		case 16<<3 | wireVarint:
			d.OnlyIfNamed = r.bool()
		case 17<<3 | wireVarint:
			d.OfPrevious = r.bool()
		}
	}
	return r.err
}
