package catalog

import (
	"time"

	"meridian/streaming/timeline"
)

// Vietnam is not in the holiday library. Its public holidays (Labour Code of
// 2019, article 112) are four fixed days, five days of Tết and the day of the
// Hùng kings; the government fixes every year which days of Tết they are and
// which day beside the National Day is free. Here they are the eve and four days
// of the new year, and 1 September. Swapped working days are not in it: write
// them down as dates of one's own.
const vietnamCode = "vn"

// vietnamLunar are, by year from vietnamFirst, the first day of the lunar year
// and the tenth of its third month, as month and day, computed from new moons
// and solar terms in Vietnam's time (China's new year is a day later in 2030).
const vietnamFirst = 2015

var vietnamLunar = [...][4]int{
	{2, 19, 4, 28}, // 2015
	{2, 8, 4, 16},  // 2016
	{1, 28, 4, 6},  // 2017
	{2, 16, 4, 25}, // 2018
	{2, 5, 4, 14},  // 2019
	{1, 25, 4, 2},  // 2020
	{2, 12, 4, 21}, // 2021
	{2, 1, 4, 10},  // 2022
	{1, 22, 4, 29}, // 2023
	{2, 10, 4, 18}, // 2024
	{1, 29, 4, 7},  // 2025
	{2, 17, 4, 26}, // 2026
	{2, 6, 4, 16},  // 2027
	{1, 26, 4, 4},  // 2028
	{2, 13, 4, 23}, // 2029
	{2, 2, 4, 12},  // 2030
	{1, 23, 4, 1},  // 2031
	{2, 11, 4, 19}, // 2032
	{1, 31, 4, 9},  // 2033
	{2, 19, 4, 28}, // 2034
	{2, 8, 4, 17},  // 2035
	{1, 28, 4, 6},  // 2036
	{2, 15, 4, 24}, // 2037
	{2, 4, 4, 13},  // 2038
	{1, 24, 4, 3},  // 2039
	{2, 12, 4, 20}, // 2040
	{2, 1, 4, 10},  // 2041
	{1, 22, 4, 29}, // 2042
	{2, 10, 4, 19}, // 2043
	{1, 30, 4, 7},  // 2044
	{2, 17, 4, 26}, // 2045
	{2, 6, 4, 15},  // 2046
	{1, 26, 4, 4},  // 2047
	{2, 14, 4, 22}, // 2048
	{2, 2, 4, 11},  // 2049
	{1, 23, 4, 1},  // 2050
}

func vietnam(year int) []timeline.Date {
	days := []timeline.Date{
		timeline.MakeDate(year, time.January, 1),
		timeline.MakeDate(year, time.April, 30),
		timeline.MakeDate(year, time.May, 1),
		timeline.MakeDate(year, time.September, 1),
		timeline.MakeDate(year, time.September, 2),
	}
	if i := year - vietnamFirst; i >= 0 && i < len(vietnamLunar) {
		l := vietnamLunar[i]
		first := timeline.MakeDate(year, time.Month(l[0]), l[1])
		for d := first - 1; d <= first+3; d++ {
			days = append(days, d)
		}
		days = append(days, timeline.MakeDate(year, time.Month(l[2]), l[3]))
	}
	return days
}
