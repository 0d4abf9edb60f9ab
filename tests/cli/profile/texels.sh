# Texture fetches, and what of them a multiprocessor's cache has: as an H200 counted it, and what it saves a GTX 280.
. "$(dirname "$0")/../check.bash"
here=$(cd "$(dirname "$0")" && pwd)
rows=../../truth/h200_micro.csv

column() {   # NAME ROW, from 1; kernels' names hold commas, in quotes
    sed 's/"[^"]*"/kernel/g' "$work/out.csv" | awk -F, -v name="$1" -v row="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
        NR == row + 1 { print $at }'
}
is_true() { [ "$(awk "BEGIN { print ($1) ? 1 : 0 }")" = 1 ] || fail "$2: not $1"; }
# The H200's misses, of an image of four times the size.
counted() {
    awk -F, -v row="$1" '$2 == row && $4 == "sectors" { n += $5 } $2 == row && $4 == "hits" { n -= $5 }
        END { print n / 4 }' "$here/$rows"
}
profile() { expect 0 "$halfwarp" profile --format csv -o "$work/out.csv" "$@" "$here/../../cuda/texel_reads.cu"; }

profile --gpu h200 --threads 1
number=1
for row in tex2d_point_16x16 tex2d_linear_32x8 tex2d_window_3x3; do
    share="$(column tex_misses $number) / $(counted $row)"
    is_true "$share > 0.99 && $share < 1.01" "$row"
    number=$((number + 1))
done
ONCE=8
share="$(column tex_misses $ONCE) / $(column tex_sectors $ONCE)"
is_true "$share > 0.97 && $share <= 1" "sectors that are read once"
mv "$work/out.csv" "$work/one_thread.csv"
profile --gpu h200 --threads 2
without_times() { python3 -c '
import csv, sys
for row in csv.DictReader(open(sys.argv[1])): print({k: v for k, v in row.items() if k != "host_ms"})' "$1"; }
[ "$(without_times "$work/out.csv")" = "$(without_times "$work/one_thread.csv")" ] || fail "misses depend on threads"

# A GTX 280's loads of words by themselves move 64 bytes each, its texture caches 32; a table of 4 KB they hold.
GLOBAL=4 TEXELS=5 SMALL_GLOBAL=6 SMALL_TEXELS=7
profile --gpu gtx280
is_true "$(column est_us_memory $GLOBAL) > 1.7 * $(column est_us_memory $TEXELS)" "a large array"
is_true "$(column est_us_memory $TEXELS) > 3 * $(column est_us_memory $SMALL_TEXELS)" "a random gather is not free"
is_true "$(column est_us_memory $SMALL_GLOBAL) > 6 * $(column est_us_memory $SMALL_TEXELS)" "a small table"
is_true "$(column tex_misses $SMALL_TEXELS) < 0.1 * $(column tex_sectors $SMALL_TEXELS)" "a small table's hits"
finish
