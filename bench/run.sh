#!/usr/bin/env bash
# Measures how fast kernels are simulated. usage: bench/run.sh BUILD; writes BUILD/bench.json and a table to stdout.
set -eu
build=${1:?usage: bench/run.sh BUILD}
here=$(cd "$(dirname "$0")" && pwd)
commit=$(git -C "$here" describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)
exec "$build/bench/bench_speed" "$build/halfwarp" "$here/kernels" "$commit" "$build/bench.json"
