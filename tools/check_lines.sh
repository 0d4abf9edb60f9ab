#!/usr/bin/env bash
# Lines of code and of its tests have 120 columns at most. Prints those that have more; exit 1 then.
set -u
cd "${1:-$(dirname "$0")/..}" || exit 2

# Programs that ran on an H200 as they are, and whose counters are kept beside them.
exceptions='^tests/truth/(ladder|banks)\.cu:'

long=$(find src cli shim include kernels tests bench examples tools -type f \
    \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.def' -o -name '*.sh' -o -name '*.bash' \) \
    -exec env LC_ALL=C.UTF-8 grep -nHE '^.{121}' {} + | grep -vE "$exceptions" | cut -c1-100 | sort)
[ -z "$long" ] && exit 0
echo "$long" >&2
exit 1
