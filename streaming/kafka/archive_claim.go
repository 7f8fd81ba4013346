package kafka

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrOtherInstance says that an archive belongs to another instance.
var ErrOtherInstance = errors.New("the archive belongs to another instance")

const instanceFile = "INSTANCE"

// Claim marks an empty archive as this instance's, or checks that it is: two
// instances that seal into one directory would each find the other's offsets.
func (a *Archive) Claim(instance string) error {
	path := filepath.Join(a.dir, instanceFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(a.dir, 0o700); err != nil {
			return fmt.Errorf("archive: %w", err)
		}
		if err := writeFile(path, []byte(instance+"\n")); err != nil {
			return fmt.Errorf("archive: %w", err)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	if owner := strings.TrimSpace(string(data)); owner != instance {
		return fmt.Errorf("archive %s is of instance %s, this one is %s; set archive.dir to a directory of its own: %w", a.dir, owner, instance, ErrOtherInstance)
	}
	return nil
}
