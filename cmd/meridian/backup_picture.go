package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"meridian/storage"
)

// A backup is a picture of the data directory that a start after a power cut could
// have found. It is taken while the server runs, in an order in which nothing
// refers to what is not in it: snapshots, then the rows and the copies that they
// vouch for, then the archive, and the log of deliveries last.
//
// The picture itself takes milliseconds: files that are replaced whole are linked,
// and of those that only grow the length is noted. It is copied afterwards.

// picture is what a backup holds.
type picture struct {
	items []pictured
	links string // where linked files are; removed when the picture is done with
}

// pictured is one file, folder or symbolic link.
type pictured struct {
	name   string // in the backup, with slashes
	source string // of a file
	size   int64
	link   string // target of a symbolic link
	folder bool
}

// takePicture pictures a data directory, and the archive where that lies elsewhere.
func takePicture(dir, archive string) (_ *picture, err error) {
	links, err := os.MkdirTemp(dir, pictureFolder)
	if err != nil {
		return nil, fmt.Errorf("cannot take a picture of %s: %w", dir, err)
	}
	p := &picture{links: links}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("cannot take a picture of %s: %w", dir, err), p.close())
		}
	}()
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if !leftOut(e.Name()) && !slices.Contains(inOrder, e.Name()) {
			names = append(names, e.Name())
		}
	}
	for _, name := range append(names, "snapshots", "clickhouse") {
		if err := p.add(filepath.Join(dir, name), name); err != nil {
			return nil, err
		}
	}
	if err := p.addKafka(filepath.Join(dir, "kafka"), false); err != nil {
		return nil, err
	}
	if err := p.add(archive, "archive"); err != nil {
		return nil, err
	}
	return p, p.addKafka(filepath.Join(dir, "kafka"), true)
}

// inOrder are pictured in an order of their own.
var inOrder = []string{"snapshots", "clickhouse", "kafka", "archive"}

const pictureFolder = ".backup-"

// leftOut is what is of a running process, or can be made again: locks, sockets,
// the files of a history that is being computed, ClickHouse's scratch.
func leftOut(name string) bool {
	switch name {
	case "LOCK", "history", "sasl.json", "session_state.json", "tmp", "status":
		return true
	}
	return strings.HasSuffix(name, ".sock") || strings.HasPrefix(name, pictureFolder) || strings.HasPrefix(name, storage.ScratchPrefix) || strings.HasPrefix(name, "tmp_") || strings.HasPrefix(name, "delete_tmp_") || strings.HasPrefix(name, ".new-")
}

// addKafka pictures the embedded broker's files: deliveries, or all others.
func (p *picture) addKafka(dir string, deliveries bool) error {
	if !deliveries {
		p.items = append(p.items, pictured{name: "kafka", folder: true}, pictured{name: "kafka/partitions", folder: true})
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == "partitions" || leftOut(e.Name()) || deliveries {
			continue
		}
		if err := p.add(filepath.Join(dir, e.Name()), "kafka/"+e.Name()); err != nil {
			return err
		}
	}
	partitions, err := os.ReadDir(filepath.Join(dir, "partitions"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range partitions {
		if strings.Contains(e.Name(), ".deliveries-") != deliveries {
			continue
		}
		if err := p.add(filepath.Join(dir, "partitions", e.Name()), "kafka/partitions/"+e.Name()); err != nil {
			return err
		}
	}
	return nil
}

// add pictures a file, or a folder with all that is in it. What is not there is
// left out. A folder of which a file goes away meanwhile is one that is being
// removed, such as a part of a table that has been merged into another.
func (p *picture) add(path, name string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(path)
		if err != nil {
			return err
		}
		p.items = append(p.items, pictured{name: name, link: filepath.ToSlash(target)})
	case info.IsDir():
		return p.addFolder(path, name)
	case info.Mode().IsRegular():
		source := filepath.Join(p.links, fmt.Sprint(len(p.items)))
		if err := os.Link(path, source); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return err
			}
			source = path // of another file system, or one without links: it is not replaced, as far as that goes
		}
		if info, err = os.Stat(source); err != nil {
			return err
		}
		p.items = append(p.items, pictured{name: name, source: source, size: info.Size()})
	}
	return nil
}

func (p *picture) addFolder(path, name string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	before := len(p.items)
	p.items = append(p.items, pictured{name: name, folder: true})
	for _, e := range entries {
		if leftOut(e.Name()) {
			continue
		}
		err := p.add(filepath.Join(path, e.Name()), name+"/"+e.Name())
		if errors.Is(err, fs.ErrNotExist) {
			if _, gone := os.Lstat(filepath.Join(path, e.Name())); errors.Is(gone, fs.ErrNotExist) && strings.HasPrefix(name, "clickhouse/store/") && strings.Count(name, "/") > 3 {
				p.items = p.items[:before]
				return nil
			}
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// close gives back what the picture holds.
func (p *picture) close() error { return os.RemoveAll(p.links) }

// removePictures takes away what backups and exports have left that a crash cut off.
// Links keep what they point to: room, and deliveries of people who have been erased
// since.
func removePictures(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), pictureFolder) || strings.HasPrefix(e.Name(), storage.ScratchPrefix) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

func (p *picture) size() (files int, bytes int64) {
	for _, item := range p.items {
		if item.source != "" {
			files++
			bytes += item.size
		}
	}
	return files, bytes
}
