# Full disks, folders that are not there and closed streams are told in one sentence, before the work where they can be
# known then; no file gets what was meant for another.
. "$(dirname "$0")/../check.bash"

example=$(cd "$(dirname "$0")/../../../examples" && pwd)/transpose.cu

# Before a ladder of minutes is run, not behind it.
mkdir "$work/folder"
for where in "$work/nowhere/file" "$work/folder"; do
    for command in "ladder matmul" "bandwidth --device sim:h200" "occupancy --block 256" "gpus" "ptx $example" \
        "profile $example"; do
        set -- $command
        name=$1
        shift
        expect 2 "$halfwarp" "$name" -o "$where" "$@"
        refuses "cannot write $where: "
    done
done
expect 2 "$halfwarp" ladder matmul --plot "$work/nowhere/plot.svg"
refuses "cannot write $work/nowhere/plot.svg: No such file or directory"

# The next file that is opened gets the number of a closed stream: nothing that is printed may go into it.
"$halfwarp" gpus h200 --format csv -o "$work/open.csv" || fail "gpus -o"
"$halfwarp" gpus h200 --format csv -o "$work/closed.csv" <&- >&- 2>&- || fail "gpus -o with closed streams"
cmp "$work/open.csv" "$work/closed.csv" || fail "a file is another one where streams are closed"
"$halfwarp" profile --format csv -o "$work/profile.csv" "$example" >&- 2> "$work/err" || fail "$(cat "$work/err")"
[ "$(wc -l < "$work/profile.csv")" = 4 ] || fail "the journal was lost with standard output: $(cat "$work/profile.csv")"
"$halfwarp" profile "$example" >&- 2> "$work/err"
[ $? = 2 ] || fail "a report for a closed stream counts as one"
[ "$(cat "$work/err")" = "halfwarp: cannot write the report: Bad file descriptor" ] || fail "$(cat "$work/err")"
cat > "$work/one.cu" <<'CUDA'
__global__ void turn(int *p) { p[threadIdx.x] = p[31 - threadIdx.x]; }
int main() { int *p; cudaMalloc(&p, 400); turn<<<1, 32>>>(p); return cudaDeviceSynchronize(); }
CUDA
"$halfwarp" check "$work/one.cu" > /dev/full 2> "$work/err"
[ $? = 2 ] || fail "findings that could not be written count as told"
"$halfwarp" gpus >&- 2> "$work/err"
[ $? = 2 ] || fail "a closed standard output went unnoticed"
says err "cannot write to standard output"

# What begins as a program and is none.
printf '\177ELF junk' > "$work/junk"
printf '\177ELF\002\001\001' > "$work/cut"
chmod +x "$work/junk" "$work/cut"
for file in junk cut; do
    expect 2 "$halfwarp" run "$work/$file"
    refuses "$work/$file begins as a program does, but its header is cut short or damaged"
done

# full KIB COMMAND: on a disk with so much room left, at $full.
full=$work/full
mkdir "$full"
full() {
    unshare -m sh -c 'mount -t tmpfs -o size="$2"k none "$1" && shift 2 && exec "$@"' sh "$full" "$@"
}
if full 64 true 2> "$work/err"; then
    cat > "$work/many.cu" <<'CUDA'
#include <cstdio>
__global__ void add(int *p, int i) { p[threadIdx.x] += i; }
__global__ void fault(int *p) { p[1 << 30] = 1; }
int main(int argc, char **) {
    int *p;
    cudaMalloc(&p, 400);
    for (int i = 0; i < 100; i++) add<<<1, 32>>>(p, i);
    if (argc > 1) fault<<<1, 1>>>(p);
    cudaDeviceSynchronize();
    puts("done");
}
CUDA
    expect 0 "$halfwarp" profile -o "$work/whole.txt" "$work/many.cu"
    # Neither the status nor the profile could be kept: the program is not begun.
    expect 2 full 4 env TMPDIR="$full" "$halfwarp" profile "$work/many.cu"
    refuses "cannot make a temporary file in $full: No space left on device"
    # The disk is full on the way: what there is is reported, and is no success.
    expect 2 full 12 env TMPDIR="$full" "$halfwarp" profile --format csv "$work/many.cu"
    [ "$(grep -c 'add(int' "$work/out")" -lt 100 ] || fail "a full disk kept 100 launches"
    says out "done"
    [ "$(cat "$work/err")" = "halfwarp: the profile cannot be kept: no space left; the report lacks launches" ] ||
        fail "$(cat "$work/err")"
    expect 5 full 12 env TMPDIR="$full" "$halfwarp" profile --format csv "$work/many.cu" fault
    # Nor are findings: each kernel has one, of some 800 bytes.
    {
        for i in $(seq 40); do
            echo "__global__ void k$i(int *p) { p[threadIdx.x / 2] = p[(threadIdx.x + $i) % 32]; }"
        done
        echo 'int main() { int *p; cudaMalloc(&p, 400);'
        for i in $(seq 40); do echo "k$i<<<1, 64>>>(p);"; done
        echo 'return cudaDeviceSynchronize(); }'
    } > "$work/racy.cu"
    expect 1 "$halfwarp" check "$work/racy.cu"
    expect 2 full 12 env TMPDIR="$full" "$halfwarp" check "$work/racy.cu"
    [ "$(cat "$work/err")" = "halfwarp: what was found cannot be kept: no space left; there are more hazards" ] ||
        fail "findings on a full disk: $(cat "$work/err")"
    # Compilers say little of it.
    expect 3 full 64 env HALFWARP_CACHE="$full" "$halfwarp" run "$example"
    says err " kB are left in $full, where compilers write"
    expect 2 full 4 "$halfwarp" gpus --format json -o "$full/gpus.json"
    refuses "cannot write $full/gpus.json: No space left on device"
fi

finish
