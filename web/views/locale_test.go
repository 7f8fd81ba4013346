package views

import (
	"bytes"
	"context"
	"slices"
	"testing"
)

func TestLocal_WritesNumbersAndDatesAsTheReaderDoes(t *testing.T) {
	const numbers, dates = "n = 12,345, p90 2.5 a day, v1", "Mon 2 Mar, 09:05–13:30, 3 Mar 2025"
	for header, want := range map[string]struct{ numbers, dates string }{
		"":                              {numbers, dates},
		"en-GB,en;q=0.9":                {numbers, dates},
		"ja":                            {numbers, "3月2日 (月), 09:05–13:30, 2025年3月3日"},
		"*":                             {numbers, dates},
		"en-US,en;q=0.5":                {numbers, "Mon Mar 2, 9:05\u202fAM–1:30\u202fPM, Mar 3, 2025"},
		"de-DE,de;q=0.9,en-US;q=0.8":    {"n = 12.345, p90 2,5 a day, v1", "Mo 2. März, 09:05–13:30, 3. März 2025"},
		"en;q=0.3, vi;q=0.7":            {"n = 12.345, p90 2,5 a day, v1", "T2 2 thg3, 09:05–13:30, 3 thg3, 2025"},
		"fr":                            {"n = 12\u202f345, p90 2,5 a day, v1", "lun. 2 mars, 09:05–13:30, 3 mars 2025"},
		"de-CH":                         {"n = 12’345, p90 2.5 a day, v1", "Mo 2. März, 09:05–13:30, 3. März 2025"},
		"es-MX":                         {numbers, "lun 2 mar, 09:05–13:30, 3 mar 2025"},
		"es":                            {"n = 12.345, p90 2,5 a day, v1", "lun 2 mar, 09:05–13:30, 3 mar 2025"},
		"pt-BR":                         {"n = 12.345, p90 2,5 a day, v1", "seg. 2 de mar., 09:05–13:30, 3 de mar. de 2025"},
		"de;q=x, <script>;q=1, ;;,,q=":  {numbers, dates},
		"eo":                            {numbers, dates},
		"xx-12345678901234567890;q=1e9": {numbers, dates},
	} {
		ctx := WithLocale(context.Background(), header)
		if got := Local(ctx, numbers); got != want.numbers {
			t.Errorf("%s: %q, want %q", header, got, want.numbers)
		}
		if got := Local(ctx, dates); got != want.dates {
			t.Errorf("%s: %q, want %q", header, got, want.dates)
		}
	}
	if got := Local(WithLocale(context.Background(), "en-US"), "00:00 to 12:00"); got != "12:00\u202fAM to 12:00\u202fPM" {
		t.Error(got)
	}
}

// Every language has all of its months and weekdays, and none of two of them alike.
func TestDates_AreWhole(t *testing.T) {
	for name, d := range datesOf {
		for _, list := range [][]string{d.months, d.weekdays} {
			sorted := slices.Sorted(slices.Values(list))
			if want := len(slices.Compact(sorted)); want != len(list) {
				t.Errorf("%s: two are alike in %v", name, list)
			}
		}
		if len(d.months) != 12 || len(d.weekdays) != 7 {
			t.Errorf("%s: %d months, %d weekdays", name, len(d.months), len(d.weekdays))
		}
	}
}

// What is exact stays as machines read it.
func TestLocal_LeavesWhatIsExact(t *testing.T) {
	var b bytes.Buffer
	v := Value{Text: "12,345.5", Exact: "12345.5 lines"}
	if err := value(v).Render(WithLocale(context.Background(), "de"), &b); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), `<data class="value" value="12345.5 lines" title="12345.5 lines">12.345,5</data>`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
