package main

import (
	"runtime"
	"sync"
	"syscall"
)

// niceBeside is how much nicer than the process the threads of a history are. The
// kernel gives such a thread a quarter to a third of what it gives another one that
// wants the same processor, and all of one that nobody wants. More would be worse:
// when Go stops all threads for its collector, it waits for the last of them, and one
// that the database's threads keep off the processors has been waited for for 17 ms.
const niceBeside = 5

const leastPriority = 19

// niceOf is a thread's nice value.
func niceOf(thread int) (int, error) {
	const raw = 20 // what the call returns is 20 minus it
	n, err := syscall.Getpriority(syscall.PRIO_PROCESS, thread)
	return raw - n, err
}

// usualNice is asked before any thread has stepped back: later even the first one of
// the process may have.
var usualNice = sync.OnceValues(func() (int, error) { return niceOf(syscall.Gettid()) })

// stepBack gives the thread of the calling goroutine a lower priority for as long as
// the goroutine lives, beside whose work webhooks are answered. A thread that is not
// root's cannot be raised again, so the goroutine keeps it to its end, and Go ends
// the thread then and never begins another from it. Where the kernel does not let it,
// the history runs as everything else does.
func stepBack() {
	usual, err := usualNice()
	if err != nil {
		return
	}
	nice := min(usual+niceBeside, leastPriority)
	if now, err := niceOf(syscall.Gettid()); err != nil || now >= nice {
		return
	}
	runtime.LockOSThread()
	if syscall.Setpriority(syscall.PRIO_PROCESS, syscall.Gettid(), nice) != nil {
		runtime.UnlockOSThread()
	}
}
