package embedded

import (
	"fmt"
	"sync"
	"syscall"
	"unsafe"

	"github.com/ebitengine/purego"
)

// sigactionSize is more than a struct sigaction takes anywhere (152 bytes with glibc, 16 on macOS).
const sigactionSize = 256

var signalGuard sync.Mutex // sigaction is process-wide; two overlapping guards would restore the wrong handlers

// keepSignalHandlers runs a call into chDB and puts back every signal handler that it changed. Even with its handlers
// turned off, chDB resets SIGSEGV, SIGBUS and others to their defaults at each connect; without Go's own handlers a nil
// dereference in this process would be a silent death instead of a panic with a stack.
func keepSignalHandlers(call func()) error {
	symbol, err := purego.Dlsym(purego.RTLD_DEFAULT, "sigaction")
	if err != nil {
		return fmt.Errorf("find sigaction in the C library: %w", err)
	}
	var sigaction func(signal int32, act, old unsafe.Pointer) int32
	purego.RegisterFunc(&sigaction, symbol)

	signalGuard.Lock()
	defer signalGuard.Unlock()
	const last = 31 // the real-time signals above are nobody's here
	var saved [last + 1][sigactionSize]byte
	var known [last + 1]bool
	for s := 1; s <= last; s++ {
		if s == int(syscall.SIGKILL) || s == int(syscall.SIGSTOP) {
			continue
		}
		known[s] = sigaction(int32(s), nil, unsafe.Pointer(&saved[s][0])) == 0
	}
	call()
	for s := 1; s <= last; s++ {
		if known[s] {
			sigaction(int32(s), unsafe.Pointer(&saved[s][0]), nil)
		}
	}
	return nil
}
