#!/usr/bin/env bash
# Static analysis of src, shim and cli by cppcheck. Prints what it finds; exit 1 then.
set -u
cd "${1:-$(dirname "$0")/..}" || exit 2
command -v cppcheck > /dev/null || { echo "analyse: needs cppcheck (apt-get install cppcheck)" >&2; exit 2; }

# Not analysed: bodies of lanes and of folds, which are lists of macros that have other contents for each level of
# instructions; every one of them runs in tests under sanitizers.
lists='^src/exec/(.*/)?ops_|^src/op/.*fold_(base|avx2|avx512)\.c$'
mapfile -t files < <(find src shim cli -name '*.c' | grep -vE "$lists" | sort)

# Not told: variables without a value. What cppcheck takes for one are arrays and structs that a loop or a macro fills;
# the compilers' own warnings (-Wall -Wextra) and the sanitized tests look for them.
exec cppcheck --quiet --error-exitcode=1 -j "$(nproc)" --std=c11 --enable=warning --max-configs=1 \
    --suppress=uninitvar --suppress=legacyUninitvar --suppress=missingInclude \
    --include=tools/cppcheck.h -Isrc -Iinclude -I. -Icli -Ishim "${files[@]}"
