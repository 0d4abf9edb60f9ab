#!/usr/bin/env bash
# Makes kernels/recorded/ anew: PTX, by NVRTC 13.0, of the kernels whose counters tests assert, and of all that
# `halfwarp ladder` runs by default on its default GPU. usage: tools/record_kernels.sh [BUILD]
set -eu
cd "$(dirname "$0")/.."
build=${1:-build}
folder=kernels/recorded

cmake -S . -B "$build" > /dev/null
cmake --build "$build" --target test_ladder_counters test_matmul_ladder test_nearest_ladder test_default_ladders
rm -rf "$folder"
mkdir -p "$folder/sm_75" "$folder/sm_90"
for name in ladder_counters matmul_ladder nearest_ladder default_ladders; do
    HW_RECORD_KERNELS=$PWD/$folder "$build/tests/test_$name"
done
git status --short "$folder"
du -sh "$folder"
