package views

import (
	"context"
	"fmt"
	"math"

	"meridian/web/language"
)

// Heat is a week by weekday and hour, each hour as dark as it is busy.
type Heat struct {
	Caption string
	Counts  [7][24]int64 // from Monday
	Reason  string       // a sentence: why there is none
}

var weekdays = [7]string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}

// shades of an hour, besides that of none.
const shades = 5

// shade returns the class of an hour: by the root of its share of the busiest,
// so that few acts at night are seen beside the many of a day.
func (h Heat) shade(n int64) string {
	var most int64
	for _, day := range h.Counts {
		for _, c := range day {
			most = max(most, c)
		}
	}
	if n == 0 || most == 0 {
		return "h0"
	}
	return fmt.Sprintf("h%d", 1+min(shades-1, int(math.Sqrt(float64(n)/float64(most))*shades)))
}

func heatTitle(ctx context.Context, day, hour int, n int64) string {
	from, to := fmt.Sprintf("%02d:00", hour), fmt.Sprintf("%02d:00", hour+1)
	return Local(ctx, language.Of(ctx).Team.HeatCell(weekdays[day], from, to, n, Int(n)))
}
