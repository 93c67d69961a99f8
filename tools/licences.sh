#!/bin/sh
# Writes the licences of every module that is linked into shakescope, on any system it is built for, to the file
# $1: what their licences ask to be passed on with the program. Fails when a module has none.
set -eu
out=$1
list=$(for os in linux darwin windows; do
	CGO_ENABLED=0 GOOS=$os go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}' .
done | sort -u)
{
	echo "shakescope contains code of the Go project and of these modules."
	cat <<-END

	================================================================================
	Go $(go env GOVERSION)

	END
	cat "$(go env GOROOT)/LICENSE"
	echo "$list" | while read -r path version dir; do
		[ -n "$path" ] || continue
		printf '\n%s\n%s %s\n\n' ================================================================================ "$path" "$version"
		found=
		for file in "$dir"/LICENSE* "$dir"/LICENCE* "$dir"/COPYING* "$dir"/NOTICE*; do
			[ -f "$file" ] || continue
			found=1
			cat "$file"
		done
		[ -n "$found" ] || { echo "no licence in $path $version" >&2; exit 1; }
	done
} >"$out.new"
mv "$out.new" "$out"
