# The estimate of registers against ptxas's numbers, which are recorded: of the kernels that it was fitted to, and of
# the library's, which are others. docs/accuracy.md has the figures.
. "$(dirname "$0")/../check.bash"

command -v python3 > "$work/where" || { echo "no python3 to compare with"; exit 77; }
expect 0 python3 tests/truth/compare_registers.py "$halfwarp" tests/data/ptxas_registers.csv

# Folder, larger kernels, of these at least so many within 2, so many with as many blocks of 256 threads.
while read -r folder larger near blocks; do
    numbers="s|^$folder: .*; of \([0-9]*\) larger .* \([0-9]*\) within 2, .* \([0-9]*\) with as .*|\1 \2 \3|p"
    read -r got_larger got_near got_blocks < <(sed -n "$numbers" "$work/out")
    [ "${got_larger:-0}" = "$larger" ] && [ "$got_near" -ge "$near" ] && [ "$got_blocks" -ge "$blocks" ] ||
        fail "$folder: not $larger kernels, $near of them within 2 and $blocks with as many blocks: $(cat "$work/out")"
done << 'END'
tests/truth/recorded 11 3 10
kernels/recorded/sm_90 49 15 41
kernels/recorded/sm_75 4 0 3
END
finish
