//go:build !windows && (!unix || aix || solaris)

package recordings

import (
	"errors"
	"os"
)

func lockExclusive(*os.File) error { return errors.ErrUnsupported }

func probeLock(*os.File) (held bool, err error) { return false, errors.ErrUnsupported }
