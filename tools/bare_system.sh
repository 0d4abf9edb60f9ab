#!/usr/bin/env bash
# Tries the README on a bare system: makes a root folder of a Debian or Ubuntu release that has `make` and nothing else,
# puts the committed tree into it, and runs `make demo` and `make test` there, each with its time. Needs root,
# debootstrap, and unshare (util-linux). Nothing outside FOLDER changes.
#
# usage: tools/bare_system.sh SUITE [--root FOLDER] [--mirror URL] [--with PACKAGES] [--cc CC] [--clang CLANG]
#                             [--install FOLDER] [--pull-request] [GOAL...]
#   SUITE      bookworm, trixie, jammy, noble
#   --root     where the system is made; what is there is used again. A temporary one that goes unless given
#   --with     more packages, separated by commas
#   --cc       the C compiler that builds, gcc-13 or clang-18 for example; installed, as is the C++ library it needs
#   --clang    the clang that compiles CUDA programs, clang-18 for example; installed, and no other is found
#   --install  a folder with Debian packages of ours (make deb), which are installed at the end, and tried as
#              debian/tests says
#   --pull-request
#              follows examples/ci/github.yml with a change that breaks coalescing (tools/pull_request.sh)
#   GOAL       of make; demo and test unless given, or none but --install or --pull-request
# Ubuntu 24.04's compilers are those of: trixie --cc gcc-13 --clang clang-18; 22.04's: bookworm --cc gcc-11 --clang
# clang-14.
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
root='' mirror='' install='' pull_request='' packages=make,ca-certificates cc='' clang=''
while [ $# -gt 0 ]; do
    case $1 in
    --root) root=${2-} && shift ;;
    --mirror) mirror=${2-} && shift ;;
    --with) packages=$packages,${2-} && shift ;;
    --cc) cc=${2-} && shift ;;
    --clang) clang=${2-} && shift ;;
    --pull-request) pull_request=1 packages=$packages,git,sudo ;;
    --install) install=${2-} && shift ;;
    -*) usage ;;
    *) break ;;
    esac
    shift
done
if [ -n "$install" ]; then
    ls "$install"/*.deb > /dev/null 2>&1 || complain "there are no packages in '$install'; make deb makes some"
elif [ $# = 0 ] && [ -z "$pull_request" ]; then
    set -- demo test
fi
[ $# = 0 ] || set -- packages "$@"
# libsupc++.a comes with g++ of the same version.
case $cc in
gcc-*) packages=$packages,$cc,g++-${cc#gcc-} ;;
?*) packages=$packages,$cc ;;
esac
packages=$packages${clang:+,$clang}

[ "$(id -u)" = 0 ] || complain "needs root, for debootstrap and chroot"
for tool in debootstrap unshare git; do
    command -v "$tool" > /dev/null || complain "needs $tool (apt-get install debootstrap util-linux git)"
done

if [ -z "$root" ]; then
    root=$(mktemp -d)
    trap 'rm -rf --one-file-system "$root"' EXIT
fi
# quietly WHAT COMMAND...: what it says is shown where it fails.
quietly() {
    local what=$1 log=$root.log
    shift
    "$@" > "$log" 2>&1 || {
        tail -n 5 "$log" >&2
        complain "cannot $what; all that was said is in $log"
    }
    rm -f "$log"
}

# In a mount namespace of its own, so that nothing is left mounted however this ends.
search=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
inside() {
    unshare --mount --propagation private bash -c '
        root=$1 search=$2 cc=$3; shift 3
        mount -t proc proc "$root/proc"
        mount --rbind /dev "$root/dev"
        mount --rbind /sys "$root/sys"
        exec chroot "$root" env -i HOME=/root TERM=dumb LC_ALL=C.UTF-8 PATH="$search" ${cc:+"CC=$cc"} "$@"
        ' inside "$root" "$search" "$cc" "$@"
}

if [ ! -e "$root/usr/bin/make" ]; then
    quietly "make $suite" debootstrap --variant=minbase --include="$packages" "$suite" "$root" ${mirror:+"$mirror"}
fi
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
# A system that was there may lack what is wanted now.
if ! chroot "$root" dpkg -s ${packages//,/ } > /dev/null 2>&1; then
    quietly "install ${packages//,/ }" inside sh -c "apt-get -qq update &&
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ${packages//,/ }"
fi
rm -rf "$root/home/halfwarp-checkout" "$root/home/halfwarp-path"
mkdir "$root/home/halfwarp-checkout"
git -C "$top" archive HEAD | tar -x -C "$root/home/halfwarp-checkout"

# Halfwarp takes the newest clang on PATH: a PATH of one folder, with all commands but the other clangs. And clang takes
# the newest C++ library, where it is to have that of the compiler given (an option since clang 16).
if [ -n "$clang" ]; then
    library=''
    case $cc in gcc-*) [ "${clang#clang-}" -lt 16 ] || library=${cc#gcc-} ;; esac
    inside sh -c '
        mkdir /home/halfwarp-path && cd /home/halfwarp-path
        for folder in /usr/sbin /usr/bin; do ln -sf "$folder"/* .; done
        rm -f clang clang++ clang-[0-9]* clang++-[0-9]*
        for name in clang clang++; do
            printf "#!/bin/sh\nexec /usr/bin/%s %s \"\$@\"\n" "$name${1#clang}" \
                "${2:+--gcc-install-dir=$(dirname "$(gcc-$2 -print-libgcc-file-name)")}" > "$name${1#clang}"
            chmod +x "$name${1#clang}" && ln -s "$name${1#clang}" "$name"
        done' sh "$clang" "$library"
    search=/home/halfwarp-path
fi

status=0
for goal; do
    echo "== $suite${cc:+, $cc}${clang:+, $clang}: make $goal"
    TIMEFORMAT="== $suite: make $goal took %R s, %U + %S s of processor time"
    time inside make -C /home/halfwarp-checkout --no-print-directory "$goal" ||
        { status=1; echo "== $suite: make $goal FAILED"; }
done

# As apt installs a package that a user has fetched, with what it recommends.
if [ -n "$install" ]; then
    rm -rf "$root/home/halfwarp-packages"
    mkdir "$root/home/halfwarp-packages"
    cp "$install"/*.deb "$top/debian/tests/first-minutes" "$root/home/halfwarp-packages"
    quietly "install the packages" inside sh -c "apt-get -qq update &&
        DEBIAN_FRONTEND=noninteractive apt-get install -y /home/halfwarp-packages/*.deb"
    echo "== $suite: the packages, installed"
    inside /home/halfwarp-packages/first-minutes || { status=1; echo "== $suite: the packages FAILED"; }
fi

if [ -n "$pull_request" ]; then
    rm -rf "$root/home/halfwarp.git"
    git clone -q --bare --depth 1 "file://$top" "$root/home/halfwarp.git"
    echo "== $suite: a pull request"
    inside /home/halfwarp-checkout/tools/pull_request.sh file:///home/halfwarp.git ||
        { status=1; echo "== $suite: the pull request FAILED"; }
fi
exit $status
