package views

// Waiting is the page of what is open now.
type Waiting struct {
	Page  Page
	Clock Time
	Teams []Link
	Lists []WaitingList
}

// WaitingList is what is open of one metric, the oldest first.
type WaitingList struct {
	ID, Title, Question string
	Count               string // "" where it is not known
	Items               []WaitingItem
	More                string // what the list leaves out
	Reason              string // why it is empty
	Exports             []Link
}

// WaitingItem is one open item.
type WaitingItem struct {
	ID, Label, URL string
	Team           Link
	Age            Value
	Since          Time
}
