package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Version is the release of chDB that this package was made for and is tested with.
const Version = "26.7.3-stable.1"

// LibraryVariable names the environment variable that says where libchdb is, before any other place is looked at.
const LibraryVariable = "MERIDIAN_CHDB_LIB"

// build is chDB as published for one platform.
type build struct {
	pkg       string // npm package
	file      string // the library in it
	integrity string // sha512 of the package, as npm writes it
	size      int64  // of the library
}

// builds are the platforms whose package this version knows by its checksum. On others MERIDIAN_CHDB_LIB says where a
// libchdb of the same version lies.
var builds = map[string]build{
	"linux/amd64": {
		pkg:       "@chdb/lib-linux-x64-gnu",
		file:      "libchdb.so",
		integrity: "sha512-XP97mMqnc5tZpKQywR8N7cLTsHNiTmHr30pC5mzo3jWmukjKn2IBa60c2B/gWUNcuFjOMjWoorQICCqBVj5wpw==",
		size:      566330096,
	},
}

func thisBuild() (build, error) {
	platform := runtime.GOOS + "/" + runtime.GOARCH
	b, ok := builds[platform]
	if !ok {
		return build{}, fmt.Errorf("%w: there is no tested chDB for %s; put a libchdb %s on this machine and set %s to its path, or use a ClickHouse server (clickhouse.dsn)", ErrNoLibrary, platform, Version, LibraryVariable)
	}
	return b, nil
}

// Library finds libchdb: where MERIDIAN_CHDB_LIB says, else in the user's cache. When it is in neither, the error is
// ErrNoLibrary and names the command that gets it.
func Library(context.Context) (string, error) {
	if path := os.Getenv(LibraryVariable); path != "" {
		if _, err := os.Stat(path); err != nil {
			return "", fmt.Errorf("%w: %s is set, but the file cannot be read: %w; name a libchdb, or unset it and run `meridian doctor --fetch` once", ErrNoLibrary, LibraryVariable, err)
		}
		return path, nil
	}
	b, err := thisBuild()
	if err != nil {
		return "", err
	}
	path, err := cachedPath(b)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%w: run `meridian doctor --fetch` once (it fetches chDB %s with npm, about 180 MB), or set %s to the path of a libchdb", ErrNoLibrary, Version, LibraryVariable)
	case err != nil:
		return "", fmt.Errorf("%w: %w", ErrNoLibrary, err)
	case info.Size() != b.size:
		return "", fmt.Errorf("%w: %s is damaged (%d bytes, not %d); run `meridian doctor --fetch` to fetch it again", ErrNoLibrary, path, info.Size(), b.size)
	}
	return path, nil
}

func cachedPath(b build) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("%w: there is no cache directory to look in (%w); set %s to the path of a libchdb", ErrNoLibrary, err, LibraryVariable)
	}
	return filepath.Join(cache, "meridian", "chdb", Version, b.file), nil
}
