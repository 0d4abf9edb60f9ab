#!/usr/bin/env bash
# install_packages.sh [USE...]: installs the packages that packages.txt has for these uses (build unless given) and that
# are missing, and says beforehand how much that is; or prints the command, where it may not.
set -u
list="$(dirname "$0")/packages.txt"
uses=" ${*:-build} "

if ! command -v dpkg-query >/dev/null 2>&1; then
    # Neither Debian nor Ubuntu: CMake will name what is missing.
    exit 0
fi

is_installed() {
    [ "$(dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null | cut -c1-2)" = ii ]
}

missing=()
while read -r use line; do
    line="${line%%#*}"
    case $uses in *" $use "*) ;; *) continue ;; esac
    found=no
    for name in ${line//|/ }; do
        is_installed "$name" && found=yes
    done
    # The first of the alternatives is what gets installed.
    [ $found = yes ] || missing+=("$(set -- ${line//|/ }; echo "$1")")
done < "$list"

[ ${#missing[@]} -gt 0 ] || exit 0
command="apt-get install -y --no-install-recommends ${missing[*]}"

# How much it is, as apt reckons: "34 packages, 121 MB to download, 598 MB on disk". Nothing where apt does not say.
# apt writes its figures in two ways, the older one first.
size() {
    LC_ALL=C apt-get install --assume-no --no-install-recommends "${missing[@]}" 2>/dev/null | awk '
        /newly installed/        {packages = $3}
        /^ *Installing:? [0-9]/  {packages = $NF}
        /^ *Summary:/            {sub(/.*Installing: /, ""); packages = $1 + 0}
        /^Need to get/           {sub(/^Need to get /, ""); sub(/ of archives.*/, ""); sub(/.*\//, ""); download = $0}
        /^ *Download size:/      {sub(/.*size: /, ""); sub(/ *\/.*/, ""); download = $0}
        /disk space will be used/ {disk = $4 " " $5}
        /^ *Space needed:/       {sub(/.*needed: /, ""); sub(/ *\/.*/, ""); disk = $0}
        END {
            if (packages) text = packages " packages"
            if (download) text = text (text ? ", " : "") download " to download"
            if (disk) text = text (text ? ", " : "") disk " on disk"
            print text
        }'
}

if [ "$(id -u)" = 0 ]; then
    as_root=(env)
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root=(sudo -n env)
else
    much=$(size)
    echo "Missing packages${much:+ ($much)}. Run this once, then try again:" >&2
    echo "  sudo $command" >&2
    exit 1
fi

if "${as_root[@]}" DEBIAN_FRONTEND=noninteractive apt-get -qq update >&2; then
    # A release that does not have a package has what is in it elsewhere; if not, CMake names it.
    known=()
    for name in "${missing[@]}"; do
        apt-cache show "$name" > /dev/null 2>&1 && known+=("$name")
    done
    [ ${#known[@]} -gt 0 ] || exit 0
    missing=("${known[@]}")
else
    echo "apt-get update failed; trying with the lists that are there." >&2
fi
command="apt-get install -y --no-install-recommends ${missing[*]}"
much=$(size)
echo "Installing ${missing[*]}${much:+, with what they need: $much}." >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! "${as_root[@]}" DEBIAN_FRONTEND=noninteractive $command > "$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "Installing failed. What is missing: ${missing[*]}" >&2
    exit 1
fi
