# The driver library exports what entries.def says, and nothing else. Where there is a CUDA toolkit: each entry that its
# own library has is there, and since which version there is which is what its headers say.
set -u
lib=$(dirname "$1")/lib/driver/libcuda.so.1
rows=$(dirname "$0")/../../../shim/cuda/entries.def
command -v nm >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

complain() {
    echo "$@"
    status=1
}
entry='^HW_(CALL|CALL_ALSO|REFUSED)\(([A-Za-z0-9_]+), ([0-9]+).*'

sed -nE "s/$entry/\2/p" "$rows" | sort >"$work/rows"
nm -D --defined-only "$lib" | awk '$2 == "T" { print $3 }' | sort >"$work/exports"
[ -z "$(uniq -d "$work/rows")" ] || complain "rows that are there twice:" $(uniq -d "$work/rows")
diff "$work/rows" "$work/exports" >"$work/diff" || complain "rows, exports: $(cat "$work/diff")"
[ "$(wc -l <"$work/rows")" = 637 ] || complain "CUDA 13.0 has 637 entries"

toolkit=/usr/local/cuda
stub=$toolkit/lib64/stubs/libcuda.so types=$toolkit/include/cudaTypedefs.h
[ -e "$stub" ] && [ -e "$types" ] || exit $status
nm -D --defined-only "$stub" | awk '{ print $3 }' | sort >"$work/real"
[ -z "$(comm -23 "$work/real" "$work/rows")" ] || complain "entries of CUDA that are missing:" \
    $(comm -23 "$work/real" "$work/rows")
# PFN_cuMemAlloc_v3020_ptsz: base name, version, variant. The entries of a base name are in the order of their versions.
sed -nE 's/.*CUDAAPI \*PFN_(cu[A-Za-z0-9]+(_[a-z][A-Za-z0-9]*)?)_v([0-9]+)(_ptsz|_ptds)?\).*/\1\4 \3/p' "$types" |
    sort -u >"$work/versions"
sed -nE "s/$entry/\2 \3/p" "$rows" | grep -v '^cuProfiler' |
    sed -E 's/_v[0-9]+(_pt[sd][zs])? / \1/; s/ (_pt[sd][zs])/\1 /; s/ +/ /' | sort -u >"$work/since"
diff "$work/versions" "$work/since" >"$work/diff" || complain "versions: $(head -20 "$work/diff")"
exit $status
