package clientconfig

import "os"

// sameOwner does nothing: a new file has the rights of its folder.
func sameOwner(*os.File, string) {}
