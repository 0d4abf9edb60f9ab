#!/usr/bin/env bash
# Installs the packages of packages.txt that are missing, if it may; otherwise prints the command that would.
set -u
list="$(dirname "$0")/packages.txt"

if ! command -v dpkg-query >/dev/null 2>&1; then
    # Neither Debian nor Ubuntu: CMake will name what is missing.
    exit 0
fi

is_installed() {
    [ "$(dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null | cut -c1-2)" = ii ]
}

missing=()
while read -r line; do
    line="${line%%#*}"
    [ -n "${line// /}" ] || continue
    found=no
    for name in ${line//|/ }; do
        is_installed "$name" && found=yes
    done
    # The first of the alternatives is what gets installed.
    [ $found = yes ] || missing+=("$(set -- ${line//|/ }; echo "$1")")
done < "$list"

[ ${#missing[@]} -gt 0 ] || exit 0
command="apt-get install -y --no-install-recommends ${missing[*]}"

if [ "$(id -u)" = 0 ]; then
    as_root=(env)
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root=(sudo -n env)
else
    echo "Missing packages. Run this once, then try again:" >&2
    echo "  sudo $command" >&2
    exit 1
fi

echo "Installing: ${missing[*]}" >&2
"${as_root[@]}" DEBIAN_FRONTEND=noninteractive apt-get -qq update >&2 ||
    echo "apt-get update failed; trying with the lists that are there." >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! "${as_root[@]}" DEBIAN_FRONTEND=noninteractive $command > "$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "Installing failed. What is missing: ${missing[*]}" >&2
    exit 1
fi
