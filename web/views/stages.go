package views

// Stages is the way of a change from its first commit to production, as a bar:
// each stage's median, one beside the other.
type Stages struct {
	ID    string
	Title string
	Note  string
	Label string // for those who cannot see the bar
	Parts []StagePart
	Total StageTotal
}

// StagePart is one stage.
type StagePart struct {
	Name    string
	Href    string
	Value   Value
	Seconds float64 // how wide it is; 0 without a value
}

// StageTotal is what the stages add up to.
type StageTotal struct {
	Name  string
	Href  string
	Value Value
}

// stageBox is a part as the bar draws it, in per cent of its width.
type stageBox struct {
	X, Width, Class, Title string
}

// boxes places the stages that have a value. A narrow one still shows.
func (s Stages) boxes() (boxes []stageBox) {
	const narrow = 0.8 // per cent
	var sum float64
	for _, p := range s.Parts {
		sum += p.Seconds
	}
	if sum == 0 {
		return nil
	}
	var widths, total = make([]float64, len(s.Parts)), 0.0
	for i, p := range s.Parts {
		if p.Value.Reason == "" {
			widths[i] = max(narrow, 100*p.Seconds/sum)
			total += widths[i]
		}
	}
	at := 0.0
	for i, p := range s.Parts {
		if widths[i] == 0 {
			continue
		}
		w := widths[i] / total * 100
		boxes = append(boxes, stageBox{X: coordinate(at) + "%", Width: coordinate(w) + "%", Class: stageClass(i), Title: p.Name + ": " + p.Value.Text})
		at += w
	}
	return boxes
}

func stageClass(i int) string { return "stage s" + string(rune('1'+i%4)) }
