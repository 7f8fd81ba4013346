package timeline

import "testing"

// benchInstants are a year of instants in no order, so that branches are not learned.
func benchInstants() [1024]Millis {
	var list [1024]Millis
	x := uint64(1)
	for i := range list {
		x = x*6364136223846793005 + 1442695040888963407
		list[i] = 1767225600000 + Millis(x>>16)%(365*Day)
	}
	return list
}

func benchmark(b *testing.B, f func(z *Zone, m Millis) Millis) {
	instants := benchInstants()
	for _, name := range []string{"Europe/Berlin", "Asia/Kathmandu", "UTC"} {
		z := zoneNamed(b, name)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var sum Millis
			for i := 0; b.Loop(); i++ {
				sum += f(z, instants[i%len(instants)])
			}
			if sum == 0 && name == "Europe/Berlin" {
				b.Fatal("nothing was computed")
			}
		})
	}
}

func BenchmarkOffset(b *testing.B) {
	benchmark(b, func(z *Zone, m Millis) Millis { return z.Offset(m) })
}

func BenchmarkDate(b *testing.B) {
	benchmark(b, func(z *Zone, m Millis) Millis { return Millis(z.Date(m)) })
}

func BenchmarkHour(b *testing.B) {
	benchmark(b, func(z *Zone, m Millis) Millis { return z.Hour(m).Start })
}

func BenchmarkMidnight(b *testing.B) {
	benchmark(b, func(z *Zone, m Millis) Millis { return z.Midnight(Date(m / Day)) })
}

func BenchmarkDay(b *testing.B) {
	benchmark(b, func(z *Zone, m Millis) Millis { return z.Day(Date(m / Day)).End })
}

func BenchmarkClassify(b *testing.B) {
	var s Schedule = DefaultSchedule()
	benchmark(b, func(z *Zone, m Millis) Millis { return Millis(Classify(z, s, m)) + 1 })
}

func BenchmarkWorkingTimeOf30Days(b *testing.B) {
	var s Schedule = DefaultSchedule()
	benchmark(b, func(z *Zone, m Millis) Millis { return WorkingTime(z, s, Window{m, m + 30*Day}) })
}

func BenchmarkWorkingTimeOf10Years(b *testing.B) {
	var s Schedule = DefaultSchedule()
	benchmark(b, func(z *Zone, m Millis) Millis { return WorkingTime(z, s, Window{m, m + 3650*Day}) })
}

func BenchmarkLoadZoneAgain(b *testing.B) {
	benchmark(b, func(z *Zone, m Millis) Millis { _, _ = LoadZone(z.name); return 1 })
}

func BenchmarkBuildZone(b *testing.B) {
	loc := location(b, "Europe/Berlin")
	for b.Loop() {
		locationRuns(loc)
	}
}
