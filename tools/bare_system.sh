#!/usr/bin/env bash
# Tries the README on a bare system: makes a root folder of a Debian or Ubuntu release that has `make` and nothing else,
# puts the committed tree into it, and runs `make demo` and `make test` there, each with its time. Needs root,
# debootstrap, and unshare (util-linux). Nothing outside FOLDER changes.
#
# usage: tools/bare_system.sh SUITE [--root FOLDER] [--mirror URL] [--with PACKAGES] [GOAL...]
#   SUITE      bookworm, trixie, jammy, noble
#   --root     where the system is made; what is there is used again. A temporary one that goes unless given
#   --with     more packages, separated by commas: gcc-13,clang-18 are Ubuntu 24.04's compilers on trixie
#   GOAL       of make; demo and test unless given
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)

usage() {
    sed -n '/^# usage/,/^set/s/^# \{0,1\}//p' "$0" | sed '$d' >&2
    exit 2
}

complain() {
    echo "bare_system: $*" >&2
    exit 2
}

suite=${1-}
case $suite in '' | -*) usage ;; esac
shift
root='' mirror='' packages=make,ca-certificates
while [ $# -gt 0 ]; do
    case $1 in
    --root) root=${2-} && shift ;;
    --mirror) mirror=${2-} && shift ;;
    --with) packages=$packages,${2-} && shift ;;
    -*) usage ;;
    *) break ;;
    esac
    shift
done
[ $# -gt 0 ] || set -- demo test

[ "$(id -u)" = 0 ] || complain "needs root, for debootstrap and chroot"
for tool in debootstrap unshare git; do
    command -v "$tool" > /dev/null || complain "needs $tool (apt-get install debootstrap util-linux git)"
done

if [ -z "$root" ]; then
    root=$(mktemp -d)
    trap 'rm -rf --one-file-system "$root"' EXIT
fi
if [ ! -e "$root/usr/bin/make" ]; then
    log=$root.log
    debootstrap --variant=minbase --include="$packages" "$suite" "$root" ${mirror:+"$mirror"} > "$log" 2>&1 || {
        tail -n 5 "$log" >&2
        complain "cannot make $suite; all that debootstrap said is in $log"
    }
    rm -f "$log"
fi
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
rm -rf "$root/home/halfwarp-checkout"
mkdir "$root/home/halfwarp-checkout"
git -C "$top" archive HEAD | tar -x -C "$root/home/halfwarp-checkout"

# In a mount namespace of its own, so that nothing is left mounted however this ends.
inside() {
    unshare --mount --propagation private bash -c '
        root=$1; shift
        mount -t proc proc "$root/proc"
        mount --rbind /dev "$root/dev"
        mount --rbind /sys "$root/sys"
        exec chroot "$root" env -i HOME=/root TERM=dumb LC_ALL=C.UTF-8 \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"' inside "$root" "$@"
}

status=0
for goal in packages "$@"; do
    echo "== $suite: make $goal"
    TIMEFORMAT="== $suite: make $goal took %R s, %U + %S s of processor time"
    time inside make -C /home/halfwarp-checkout --no-print-directory "$goal" ||
        { status=1; echo "== $suite: make $goal FAILED"; }
done
exit $status
