# The counters of 1175 launches against those of an H200. nvcc's PTX is what the hardware ran, and is recorded, so that
# it is compared on every machine; clang's is another program, which moves some floats one by one and some in fours, so
# that fewer launches of ladder.cu can agree.
. "$(dirname "$0")/../check.bash"

command -v python3 > "$work/where" || { echo "no python3 to compare with"; exit 77; }
truth=tests/truth
fetched=gld_requests,gld_sectors,gst_requests,gst_sectors,l2_sectors
occupancy=regs,smem_static,smem_dynamic,limit_blocks,limit_regs,limit_smem,limit_warps,occupancy_pct
ideals=smem_wavefronts_ideal,l2_sectors_ideal

# profiles PROGRAM COMPILER: into $work/PROGRAM.csv.
profiles() {
    expect 0 "$halfwarp" profile --compiler "$2" --gpu h200 --format csv -o "$work/$1.csv" $truth/$1.cu
}

# agrees PROGRAM -eq|-ge NUMBER [--columns C,D,...]: so many numbers of the profile are the hardware's.
agrees() {
    python3 $truth/compare.py $truth/h200_$1.csv "$work/$1.csv" --show 20 "${@:4}" > "$work/out"
    exact=$(sed -n 's/^exact \([0-9]*\) of .*/\1/p' "$work/out")
    [ "${exact:-0}" $2 $3 ] && return
    fail "$1: ${exact:-no} numbers agree, not $3"
    cat "$work/out" >&2
}

# What nvcc's PTX gives, compiled here or recorded: docs/accuracy.md has these numbers.
agrees_as_nvcc() {
    profiles ladder $1
    agrees ladder -eq 1230
    agrees ladder -eq 182 --columns hardware_wavefronts
    agrees ladder -eq 1640 --columns $occupancy
    agrees ladder -eq 410 --columns $ideals
    profiles banks $1
    agrees banks -eq 2603
    grep -q '^  differs: load float4 \[t/16\*4+t%16/8+t%8/4\*8\]: smem_wavefronts 4.* expected 8$' "$work/out" ||
        fail "another number of banks.cu differs: $(cat "$work/out")"
    agrees banks -eq 434 --columns hardware_wavefronts
    agrees banks -eq 3472 --columns $occupancy
    agrees banks -eq 868 --columns $ideals
    profiles async $1
    agrees async -eq 2680 --columns $fetched
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

# Stand-ins under the names of the compilers that are there, and of ptxas, in front of them.
mkdir "$work/recorded"
for name in ptxas clang $(compgen -c clang- | grep -x 'clang-[0-9]*' | sort -u); do
    [ $name != ptxas ] && ! command -v $name > "$work/where" && continue
    ln -s "$PWD/$truth/recorded/stand_in" "$work/recorded/$name"
done
PATH=$work/recorded:$PATH agrees_as_nvcc clang

# The recordings are what this nvcc makes, where it is the same.
if nvcc --version > "$work/version" 2>&1; then
    if ! grep -q V13.0.88 "$work/version"; then
        agrees_as_nvcc nvcc
    else
        mkdir "$work/anew"
        $truth/record.sh "$work/anew" 2> "$work/err" || fail "record.sh: $(cat "$work/err")"
        diff -rq --exclude=stand_in $truth/recorded "$work/anew" || fail "recordings are stale: tests/truth/record.sh"
        # What ptxas made of it, which the recordings have not: docs/accuracy.md has this number.
        profiles ladder nvcc
        agrees ladder -eq 201 --columns machine_inst
    fi
    estimates
fi
profiles ladder clang
agrees ladder -ge 1200
profiles async clang
agrees async -eq 2680 --columns $fetched
finish
