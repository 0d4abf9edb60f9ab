#!/usr/bin/env bash
# deb.sh FOLDER: builds the Debian packages of the committed tree in FOLDER, and has lintian look at them; fails where
# it finds errors. Tests are debian/tests, for autopkgtest, on what is installed.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
cd "$1"
rm -rf source ./*.deb ./*.buildinfo ./*.changes
mkdir source
git -C "$top" archive HEAD | tar -x -C source
(cd source && dpkg-buildpackage -us -uc -b) > build.log 2>&1 || { tail -n 20 build.log >&2; exit 1; }
# The toolkit's archives in usr/lib/halfwarp/cuda are scripts for the linker, which name libraries.
lintian --fail-on error --suppress-tags unpack-message-for-deb-data --allow-root ./*.changes
rm -rf source
ls -l ./*.deb
