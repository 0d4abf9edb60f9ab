#!/usr/bin/env bash
# image.sh [FOLDER]: builds the image of Containerfile from the committed tree, with buildah, and runs a program in it.
# The base image is made by debootstrap, so that no registry is needed but Debian's. Needs root, buildah, debootstrap.
# FOLDER has what is kept for the next time; a temporary one that goes unless given.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
folder=${1-}
if [ -z "$folder" ]; then
    folder=$(mktemp -d)
    trap 'rm -rf --one-file-system "$folder"' EXIT
fi
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
suite=$(sed -n 's/^FROM debian:\([a-z]*\)-slim.*/\1/p' "$top/Containerfile" | sort -u)
# Where neither overlays nor user namespaces can be had, as in a container, this still works.
images() { buildah --root "$folder/images" --runroot "$folder/run" --storage-driver vfs "$@"; }

if ! images inspect --type image "localhost/debian:$suite-slim" > /dev/null 2>&1; then
    [ -e "$folder/base/usr/bin/apt-get" ] || debootstrap --variant=minbase "$suite" "$folder/base" > "$folder/log"
    base=$(images from scratch)
    images copy -q "$base" "$folder/base" / > /dev/null
    images commit -q "$base" "localhost/debian:$suite-slim" > /dev/null
    images rm "$base" > /dev/null
fi
rm -rf "$folder/source"
mkdir "$folder/source"
git -C "$top" archive HEAD | tar -x -C "$folder/source"
TIMEFORMAT='built in %R s, %U + %S s of processor time'
time images build --isolation chroot --pull-never -t halfwarp "$folder/source"
box=$(images from --pull-never localhost/halfwarp)
for words in "halfwarp doctor" "halfwarp profile /usr/local/share/doc/halfwarp/examples/transpose.cu"; do
    echo "== $words"
    # shellcheck disable=SC2086   # the words of a command
    images run --isolation chroot "$box" -- $words
done
images rm "$box" > /dev/null
