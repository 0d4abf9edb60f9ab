#!/usr/bin/env bash
# Makes tests/truth/recorded/ anew: the PTX that nvcc 13.0 makes of the programs whose counters an H200 was asked for,
# and what ptxas says of its registers. usage: tests/truth/record.sh [FOLDER]; needs nvcc and ptxas on PATH.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$here/recorded}

for name in ladder banks async; do
    (cd "$here" && nvcc -arch=compute_90 -O3 -ptx -o "$folder/$name.ptx" "$name.cu")
    ptxas -v -arch=sm_90 "$folder/$name.ptx" -o /dev/null 2>&1 | grep -v "Compile time" > "$folder/$name.ptxas"
done
