# The runtime libraries export what api.def and unsupported.def say, nothing else, under the symbol versions of CUDA;
# and each call of the CUDA toolkit's own library, where there is one.
set -u
lib=$(dirname "$1")/lib
shim=$(dirname "$0")/../../../shim
command -v nm >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

rows() { sed -nE "s/^HW_(API|API_ALSO|UNSUPPORTED|UNSUPPORTED_ALSO)\(([A-Za-z0-9_]+).*/\2/p" "$@" | sort; }
exports() { nm -D --defined-only "$1" | awk '$2 == "T" { print $3 }' | sort; }

rows "$shim/cudart/api.def" "$shim/cudart/unsupported.def" >"$work/rows"
if [ -n "$(uniq -d "$work/rows")" ]; then
    echo "rows that are there twice:" $(uniq -d "$work/rows")
    status=1
fi
# Names that only one of the releases has.
before_13='cudaGetDeviceProperties_v2|cudaMemAdvise_v2|cudaMemPrefetchAsync_v2(_ptsz)?'
before_13+='|cudaStreamGetCaptureInfo_v[23](_ptsz)?'

for release in 11.0 12 13; do
    file=$lib/libcudart.so.$release
    [ -e "$file" ] || { echo "$file is missing"; exit 1; }
    exports "$file" >"$work/versioned"
    sed 's/@.*//' "$work/versioned" | sort >"$work/exported"
    cp "$work/rows" "$work/expected"
    [ "$release" != 13 ] || grep -vxE "$before_13" "$work/rows" >"$work/expected"
    diff "$work/expected" "$work/exported" >"$work/diff" || { echo "$release:"; cat "$work/diff"; status=1; }
    if grep -qv "@@libcudart.so.$release\$" "$work/versioned"; then
        echo "$release: another version: $(grep -v "@@libcudart.so.$release\$" "$work/versioned" | head -1)"
        status=1
    fi
done

toolkit=/usr/local/cuda/lib64/libcudart.so.13
if [ -e "$toolkit" ]; then
    exports "$toolkit" | sed 's/@.*//' | sort >"$work/real"
    missing=$(comm -23 "$work/real" "$work/exported")
    [ -z "$missing" ] || { echo "calls of CUDA 13 that do not resolve:" $missing; status=1; }
fi
exit $status
