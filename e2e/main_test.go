package e2e_test

import (
	"os"
	"testing"

	"meridian/e2e/instance"
)

func TestMain(m *testing.M) { os.Exit(instance.Main(m)) }
