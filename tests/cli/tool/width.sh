# Tables and help fit 80 columns: no line is longer, no number is cut, and what is left out is named.
. "$(dirname "$0")/../check.bash"
export COLUMNS=80 LC_ALL=C.UTF-8

# fits COMMAND...: it succeeds, and no line has more than 80 characters. Of UTF-8, whatever awk counts.
fits() {
    expect 0 "$@"
    silent err
    sed 's/[\x80-\xbf]//g' "$work/out" > "$work/characters"
    LC_ALL=C awk 'length > 80' "$work/characters" > "$work/long"
    [ ! -s "$work/long" ] || fail "$* has lines of more than 80 characters: $(head -3 "$work/long")"
    ! grep -n ' $' "$work/out" > "$work/blanks" || fail "$* has blanks at the end of a line: $(head -3 "$work/blanks")"
}

fits "$halfwarp" --help
for command in $(sed -nE 's/^  ([a-z]+) +[a-z].*/\1/p' "$work/out"); do
    fits "$halfwarp" "$command" --help
done
[ "$command" = help ] || fail "the commands: the last is $command"

fits "$halfwarp" help columns

fits "$halfwarp" gpus
says out "left out for want of room: name; a terminal of"
says out "does --format csv"
fits "$halfwarp" gpus rtx
fits "$halfwarp" gpus h200
says out "NVIDIA H200"
# A wider terminal shows it, as the sentence says, and one narrower by a column does not.
"$halfwarp" gpus rtx | tr '\n' ' ' | grep -oE 'terminal of [0-9]+' > "$work/wanted"
wanted=$(grep -oE '[0-9]+' "$work/wanted")
COLUMNS=$wanted expect 0 "$halfwarp" gpus rtx
says out "GeForce RTX 3090"
! grep -q "left out" "$work/out" || fail "$wanted columns are not enough"
COLUMNS=$((wanted - 1)) expect 0 "$halfwarp" gpus rtx
says out "left out"
# What other programs read has everything.
unset COLUMNS
expect 0 "$halfwarp" gpus rtx
says out "GeForce RTX 3090"
export COLUMNS=80

fits "$halfwarp" occupancy --gpu h200 --block 256 --regs 40 --smem 20000
fits "$halfwarp" occupancy --gpu 8800gtx --block 192 --regs 12
fits "$halfwarp" occupancy --gpu h200 examples/transpose.cu
fits "$halfwarp" ladder transpose --gpu h200 --size 256x256
fits "$halfwarp" ladder transpose --gpu gtx280 --size 256x256
fits "$halfwarp" ladder transpose --gpu h200 --size 256x256 --block all   # whose kernels unit.ladder_steps has as well
says out "best blocks:"
fits "$halfwarp" ladder matmul --gpu h200 --size 64x64x64
says out "loads per"
# All columns, one table below the other, each with the names of its rows.
for column in idea block result us step bound; do
    grep -qw -- "$column" "$work/out" || fail "ladder matmul has no column '$column'"
done
[ "$(grep -c '^ *10  naive ' "$work/out")" -ge 3 ] || fail "the rung's name is not in each table: $(cat "$work/out")"
fits "$halfwarp" ladder access --gpu h200,gtx280,k40,m2090
for gpu in h200 gtx280 k40 m2090; do says out "$gpu"; done
fits "$halfwarp" bandwidth --device sim:gtx280
says out "from device"
fits "$halfwarp" bandwidth --device sim:h200 --max 1MiB

# bench: peers beside Halfwarp where there is room, else a line each. This one answers in no time that it took 2 ms.
cat > "$work/python" << 'END'
#!/bin/sh
name=${2##*_}
echo "{\"peer\": \"${name%.py}\", \"version\": \"1.26.4\"}"
while read -r line; do echo '{"ns": [2000000, 2000000, 2000000, 2000000, 2000000]}'; done
END
chmod +x "$work/python"
{
    echo "peers f32 300,517 1,0"
    echo "peers u8 3,2,1,3,2,1,3 6,5,4,3,2,1,0"
} > "$work/cases"
printf 'a f32 sum 300000 all\na f32 sum+exact 1,2,3,4,5,6,7,8 0,1,2,3,4,5,6,7\n' > "$work/reduce"
echo "a f32 fp32 65,70,31 nn" > "$work/matmul"
echo "brute f32 uniform 1000,3 1 own brute" > "$work/nearest"
bench=("$halfwarp" bench --device cpu --seconds 0.001 --python "$work/python")
fits "${bench[@]}" transpose --cases "$work/cases"
grep -qE '^  numpy 1\.26\.4 +2 +[0-9.e+]+ +[0-9.e-]+% +0\.0%$' "$work/out" ||
    fail "no line of a peer: $(cat "$work/out")"
[ "$(grep -c '^  torch 1.26.4 ' "$work/out")" = 2 ] || fail "not a line for each case: $(cat "$work/out")"
for family in reduce matmul nearest; do fits "${bench[@]}" $family --cases "$work/$family"; done
grep -qE '^  numpy|^  scipy' "$work/out" || fail "no peer of nearest: $(cat "$work/out")"
COLUMNS=160 expect 0 "${bench[@]}" transpose --cases "$work/cases"
! grep -q '^  numpy' "$work/out" || fail "peers are below although there is room: $(cat "$work/out")"
grep -qE 'halfwarp +cublas +1\.26\.4 +numpy +1\.26\.4' "$work/out" || fail "peers beside: $(cat "$work/out")"
finish
