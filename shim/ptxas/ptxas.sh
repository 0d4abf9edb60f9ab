#!/bin/sh
# What Triton runs to make machine code of its PTX, under halfwarp run: the PTX itself, which our driver takes as it
# would machine code. Its version is not ptxas's, so that what Triton has kept of the one is not taken for the other's.
out= ptx=
while [ $# -gt 0 ]; do
    case $1 in
    --version) echo "Halfwarp's ptxas, which leaves PTX as it is: release 13.0, V13.0.0"; exit 0 ;;
    -o) out=$2; shift ;;
    *.ptx) ptx=$1 ;;
    esac
    shift
done
[ -n "$ptx" ] && [ -n "$out" ] || { echo "halfwarp's ptxas: which PTX, and where to (-o)?" >&2; exit 1; }
cp -- "$ptx" "$out"
