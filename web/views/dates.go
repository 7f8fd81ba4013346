package views

import (
	"slices"
	"strings"
)

// dateNames are a language's short names of months and weekdays, and the order in
// which it puts them. In a pattern, D is the day, M the month, Y the year and W the
// weekday.
type dateNames struct {
	months, weekdays     []string
	day, year, onWeekday string // onWeekday has T for the rest
}

// months and weekdays are their names as dates are made.
var (
	monthsMade   = strings.Fields("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec")
	weekdaysMade = weekdays[:]
)

var americanDates = &dateNames{monthsMade, weekdaysMade, "M D", "M D, Y", "W T"}

// datesOf are the short forms of Unicode's Common Locale Data Repository, release 46.
// A language that is not here reads English names.
var datesOf = map[string]*dateNames{
	"cs": named("led úno bře dub kvě čvn čvc srp zář říj lis pro", "po út st čt pá so ne", "D. M", "D. M Y"),
	"da": named("jan. feb. mar. apr. maj jun. jul. aug. sep. okt. nov. dec.", "man. tirs. ons. tors. fre. lør. søn.", "D. M", "D. M Y"),
	"de": named("Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.", "Mo Di Mi Do Fr Sa So", "D. M", "D. M Y"),
	"es": named("ene feb mar abr may jun jul ago sept oct nov dic", "lun mar mié jue vie sáb dom", "D M", "D M Y"),
	"fi": named("tammik. helmik. maalisk. huhtik. toukok. kesäk. heinäk. elok. syysk. lokak. marrask. jouluk.", "ma ti ke to pe la su", "D. M", "D. M Y"),
	"fr": named("janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.", "lun. mar. mer. jeu. ven. sam. dim.", "D M", "D M Y"),
	"hu": named("jan. febr. márc. ápr. máj. jún. júl. aug. szept. okt. nov. dec.", "h k sze cs p szo v", "M D.", "Y. M D."),
	"id": named("Jan Feb Mar Apr Mei Jun Jul Agu Sep Okt Nov Des", "Sen Sel Rab Kam Jum Sab Min", "D M", "D M Y"),
	"it": named("gen feb mar apr mag giu lug ago set ott nov dic", "lun mar mer gio ven sab dom", "D M", "D M Y"),
	"ja": eastern("1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月", "月 火 水 木 金 土 日", "MD日", "Y年MD日"),
	"ko": eastern("1월 2월 3월 4월 5월 6월 7월 8월 9월 10월 11월 12월", "월 화 수 목 금 토 일", "M D일", "Y년 M D일"),
	"nb": named("jan. feb. mars apr. mai juni juli aug. sep. okt. nov. des.", "man. tir. ons. tor. fre. lør. søn.", "D. M", "D. M Y"),
	"nl": named("jan feb mrt apr mei jun jul aug sep okt nov dec", "ma di wo do vr za zo", "D M", "D M Y"),
	"no": named("jan. feb. mars apr. mai juni juli aug. sep. okt. nov. des.", "man. tir. ons. tor. fre. lør. søn.", "D. M", "D. M Y"),
	"pl": named("sty lut mar kwi maj cze lip sie wrz paź lis gru", "pon. wt. śr. czw. pt. sob. niedz.", "D M", "D M Y"),
	"pt": named("jan. fev. mar. abr. mai. jun. jul. ago. set. out. nov. dez.", "seg. ter. qua. qui. sex. sáb. dom.", "D de M", "D de M de Y"),
	"ro": named("ian. feb. mar. apr. mai iun. iul. aug. sept. oct. nov. dec.", "lun. mar. mie. joi vin. sâm. dum.", "D M", "D M Y"),
	"ru": named("янв. февр. мар. апр. мая июн. июл. авг. сент. окт. нояб. дек.", "пн вт ср чт пт сб вс", "D M", "D M Y"),
	"sv": named("jan. feb. mars apr. maj juni juli aug. sep. okt. nov. dec.", "mån tis ons tors fre lör sön", "D M", "D M Y"),
	"tr": named("Oca Şub Mar Nis May Haz Tem Ağu Eyl Eki Kas Ara", "Pzt Sal Çar Per Cum Cmt Paz", "D M", "D M Y"),
	"uk": named("січ. лют. бер. квіт. трав. черв. лип. серп. вер. жовт. лист. груд.", "пн вт ср чт пт сб нд", "D M", "D M Y"),
	"vi": named("thg1 thg2 thg3 thg4 thg5 thg6 thg7 thg8 thg9 thg10 thg11 thg12", "T2 T3 T4 T5 T6 T7 CN", "D M", "D M, Y"),
	"zh": eastern("1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月", "周一 周二 周三 周四 周五 周六 周日", "MD日", "Y年MD日"),
}

func named(months, weekdays, day, year string) *dateNames {
	return &dateNames{strings.Fields(months), strings.Fields(weekdays), day, year, "W T"}
}

// eastern puts the weekday behind the date.
func eastern(months, weekdays, day, year string) *dateNames {
	return &dateNames{strings.Fields(months), strings.Fields(weekdays), day, year, "T (W)"}
}

// write writes what the expression dates has found.
func (n *dateNames) write(found []string) string {
	name := func(made, own []string, text string) string {
		if i := slices.Index(made, text); i >= 0 {
			return own[i]
		}
		return ""
	}
	if found[5] != "" { // a weekday alone
		return name(weekdaysMade, n.weekdays, found[5])
	}
	pattern := n.day
	if found[4] != "" {
		pattern = n.year
	}
	text := strings.NewReplacer("D", found[2], "M", name(monthsMade, n.months, found[3]), "Y", found[4]).Replace(pattern)
	if found[1] == "" {
		return text
	}
	return strings.NewReplacer("W", name(weekdaysMade, n.weekdays, found[1]), "T", text).Replace(n.onWeekday)
}
