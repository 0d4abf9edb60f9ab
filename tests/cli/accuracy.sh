# The counters of 1175 launches against those of an H200. nvcc's PTX is what the hardware ran; clang's is another
# program, which moves some floats one by one and some in fours, so that fewer launches of ladder.cu can agree.
. "$(dirname "$0")/check.bash"

command -v python3 > "$work/where" || { echo "no python3 to compare with"; exit 77; }
truth=tests/truth
fetched=gld_requests,gld_sectors,gst_requests,gst_sectors,l2_sectors

# agrees PROGRAM LEAST COMPILER [--columns C,D,...]: at least so many columns of launches are equal.
agrees() {
    expect 0 "$halfwarp" profile --compiler $3 --gpu h200 --format csv -o "$work/$1.csv" $truth/$1.cu
    python3 $truth/compare.py $truth/h200_$1.csv "$work/$1.csv" --show 20 "${@:4}" > "$work/out"
    exact=$(sed -n 's/^exact \([0-9]*\) of .*/\1/p' "$work/out")
    [ "${exact:-0}" -ge $2 ] && return
    fail "$1 by $3: $exact columns agree, not $2"
    cat "$work/out" >&2
}

# The estimates of 38 launches against an H200's times: their median difference, and the largest, in percent.
estimates() {
    expect 0 "$halfwarp" profile --compiler nvcc --format csv -o "$work/times.csv" $truth/times.cu short
    cp "$work/out" "$work/labels"
    python3 $truth/compare_times.py $truth/h200_times.csv "$work/labels" "$work/times.csv" > "$work/out"
    sed -n 's/^in all  *38 rows, median *\([0-9]*\)%, worst *[+-]\([0-9]*\)%.*/\1 \2/p' "$work/out" > "$work/both"
    read -r median worst < "$work/both"
    [ "${median:-100}" -le 8 ] && [ "${worst:-100}" -le 25 ] && return
    fail "estimates differ from an H200's times by ${median:-?}% (median) and ${worst:-?}% (worst), not by 8 and 25"
    cat "$work/out" >&2
}

if command -v nvcc > "$work/where"; then
    agrees ladder 1230 nvcc
    agrees banks 2603 nvcc
    agrees async 2680 nvcc --columns $fetched
    estimates
fi
agrees ladder 1200 clang
agrees async 2680 clang --columns $fetched
finish
