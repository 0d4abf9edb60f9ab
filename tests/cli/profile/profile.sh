# profile: the report behind the program's output, formats, -o whole or not at all, --lines, status of the program.
. "$(dirname "$0")/../check.bash"
example=examples/transpose.cu
columns="ordinal,kernel,grid,block,regs,smem_static,smem_dynamic,limit_blocks,limit_regs,limit_smem,limit_warps"
columns="$columns,occupancy_pct,inst,thread_inst,gld_requests,gst_requests,gld_sectors,gst_sectors"

# column NAME of row N (from 1) of $work/out.csv; no field that is asked for holds a comma.
column() {
    awk -v name="$1" -v row="$2" 'BEGIN { FS = "," }
        { gsub(/"[^"]*"/, "quoted") }
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
        NR == row + 1 { print $at }' "$work/out.csv"
}

expect 0 "$halfwarp" profile "$example" 256
[ "$(head -1 "$work/out")" = "256 x 256 transposed three ways, all right" ] || fail "the program's output is not first"
for kernel in transpose_naive transpose_tiled transpose_padded; do says out $kernel; done
! grep -q $'\033' "$work/out" || fail "colour where there is no terminal"

# The idea of the example, in counters: 64 blocks of 8 warps, 4 loads and 4 stores each.
expect 0 "$halfwarp" profile --format csv -o "$work/out.csv" "$example" 256
says out "all right"
! grep -q gld_sectors "$work/out" || fail "-o, and the report is on stdout as well"
[ "$(head -c ${#columns} "$work/out.csv")" = "$columns" ] || fail "columns: $(head -1 "$work/out.csv")"
[ "$(wc -l < "$work/out.csv")" = 4 ] || fail "rows: $(cat "$work/out.csv")"
for row in 1 2 3; do
    [ "$(column gld_requests $row) $(column gst_requests $row)" = "2048 2048" ] || fail "requests of row $row"
    [ "$(column gld_sectors $row)" = 8192 ] || fail "gld_sectors of row $row: $(column gld_sectors $row)"
done
[ "$(column gst_sectors 1) $(column gst_sectors 2) $(column gst_sectors 3)" = "65536 8192 8192" ] || fail "gst_sectors"
[ "$(column lds_wavefronts 1) $(column lds_wavefronts 2) $(column lds_wavefronts 3)" = "0 65536 2048" ] ||
    fail "lds_wavefronts"
# Nothing else stays behind, and its owner may read it.
[ "$(ls "$work")" = $'err\nout\nout.csv' ] || fail "left behind: $(ls "$work")"
[ "$(stat -c %a "$work/out.csv")" = "$(printf %o $((0666 & ~$(umask))))" ] || fail "mode $(stat -c %a "$work/out.csv")"

# Counters and estimates do not depend on the number of host threads. Left out: host_ms.
for threads in 1 3; do
    expect 0 "$halfwarp" profile --threads $threads --format csv -o "$work/$threads.csv" "$example" 200 100
    sed -E 's/,[^,]*((,[^,]*){19})$/\1/' "$work/$threads.csv" > "$work/$threads"
    head -1 "$work/$threads" | grep -q host_ms && fail "host_ms is another column: $(head -1 "$work/$threads")"
done
cmp "$work/1" "$work/3" || fail "counters depend on --threads"

expect 0 "$halfwarp" profile --format json --lines -o "$work/out.json" "$example" 64
if command -v python3 > "$work/where"; then
    python3 -m json.tool < "$work/out.json" > "$work/where" 2>&1 || fail "no JSON: $(cat "$work/where")"
fi
expect 0 "$halfwarp" profile --lines "$example" 64
line=$(grep -n 'out\[col \* height' "$example" | head -1 | cut -d: -f1)
grep -Eq "^ +$line  out\[col \* height" "$work/out" || fail "no line $line: $(head -30 "$work/out")"

# Code that clang has moved, and says line 0 of, is put down to a line all the same.
expect 0 "$halfwarp" profile --compiler clang --lines --format csv "$example" 64
! grep -q ',,0,' "$work/out" || fail "lines without a number: $(grep ',,0,' "$work/out" | cut -c1-80)"

# The table speaks of what a GPU of that time has and counted. Runs of blanks are one here.
tabulate() {
    gpu=$1
    expect 0 "$halfwarp" profile --gpu "$@" --lines "$example" 256
    tr -s ' ' < "$work/out" > "$work/words"
}
shows() { grep -Eq -- "$1" "$work/words" || fail "$gpu: no '$1' in $(cat "$work/words")"; }
lacks() { ! grep -Eq -- "$1" "$work/words" || fail "$gpu: '$1' in $(cat "$work/words")"; }
tabulate 8800gtx
shows "^ # kernel access coalesced uncoalesced half-warp moved wanted used$"
shows "^ 0 transpose_naive loads 4096 0 1.0 / 1.0 262 kB 262 kB [0-9]+%$"
shows "^ 0 transpose_naive stores - 4096 16.0 / 1.0 2.1 MB 262 kB [0-9]+%$"
shows "^ $line .* stores - 4096 16.0 / 1.0 2.1 MB 262 kB$"
shows "passes serialised"
lacks "L2|[Ss]ector|trans\\./"
tabulate gtx280
shows "^ # kernel access warps 32 B 64 B warp moved wanted used$"
shows "^ 0 transpose_naive stores 2048 65536 - 32.0 / 2.0 2.1 MB 262 kB [0-9]+%$"
shows "^ $line .* loads 2048 - 4096 2.0 / 2.0 262 kB 262 kB$"
lacks "L2|[Ss]ector|coalesced|trans\\./"
tabulate m2090
shows "trans\\./ trans\\./ L2 bank"
shows "transpose_naive .* 1.0 / 1.0 32.0 / 4.0 2.4 MB - "
shows "^ $line .* 2048 1.0 / 1.0 2048 32.0 / 4.0 "
lacks "sectors/|coalesced|partitions|serialised"
tabulate m2090 --no-l1
shows "transpose_naive .* 4.0 / 4.0 32.0 / 4.0 2.4 MB - "
tabulate h200
shows "sectors/ sectors/ L2 bank"
shows "^ $line .* 2048 4.0 / 4.0 2048 32.0 / 4.0 "
lacks "trans\\./|coalesced|partitions|serialised"

# The program's own status and a faulting launch: the report still comes.
cat > "$work/ends.cu" <<'CUDA'
#include <cstdlib>
__global__ void store(int *p) { p[threadIdx.x] = 1; }
int main(int argc, char **argv) {
    int *p;
    cudaMalloc(&p, 128);
    store<<<1, 32>>>(p);
    cudaDeviceSynchronize();
    if (argc > 2) store<<<1, 32>>>(p + 4096);
    cudaDeviceSynchronize();
    exit(atoi(argv[1]));
}
CUDA
expect 7 "$halfwarp" profile --format csv "$work/ends.cu" 7
says out "store(int*)"
expect 5 "$halfwarp" profile --format csv "$work/ends.cu" 0 fault
[ "$(grep -c 'store(int\*)' "$work/out")" = 2 ] || fail "rows of a program that faulted: $(cat "$work/out")"

# A program that does not compile leaves the file of an earlier run alone.
echo before > "$work/kept.csv"
echo 'int main() { undeclared; }' > "$work/wrong.cu"
expect 3 "$halfwarp" profile -o "$work/kept.csv" "$work/wrong.cu"
[ "$(cat "$work/kept.csv")" = before ] || fail "-o was overwritten by a program that did not compile"
! ls "$work"/kept.csv.* 2> "$work/where" || fail "a temporary file stays"

if [ -w /dev/full ]; then
    "$halfwarp" profile -o /dev/full "$example" 32 > "$work/out" 2> "$work/err"
    [ $? = 2 ] || fail "a full disk went unnoticed"
    says err "/dev/full"
fi
if [ -w /dev/full ]; then
    "$halfwarp" profile "$example" 32 > /dev/full 2> "$work/err"
    [ $? = 2 ] || fail "a full disk behind standard output went unnoticed"
    [ "$(cat "$work/err")" = "halfwarp: cannot write the report: No space left on device" ] || fail "$(cat "$work/err")"
    "$halfwarp" profile "$work/ends.cu" 7 > /dev/full 2> "$work/err"
    [ $? = 7 ] || fail "the program's own status is lost on a full disk"
fi
expect 2 "$halfwarp" profile true
says err "no report"
expect 137 "$halfwarp" profile sh -c 'kill -9 $$'
says err "no report"

# However a program ends, what had finished is reported, and the status is the program's own.
cat > "$work/leave.cu" <<'CUDA'
#include <cstdlib>
#include <cstring>
#include <csignal>
#include <unistd.h>
#include <sys/wait.h>
__global__ void store(int *p) { p[threadIdx.x] = 1; }
__global__ void add(int *p) { p[threadIdx.x] += 1; }
int main(int argc, char **argv) {
    int *p;
    const char *how = argv[1];
    cudaMalloc(&p, 128);
    store<<<1, 32>>>(p);
    add<<<2, 32>>>(p);
    add<<<1, 32>>>(p);
    if (!strcmp(how, "_exit")) _exit(3);
    if (!strcmp(how, "quick")) quick_exit(4);
    if (!strcmp(how, "abort")) abort();
    if (!strcmp(how, "throw")) throw 1;
    if (!strcmp(how, "segv")) *(volatile int *)8 = 1;
    if (!strcmp(how, "kill")) raise(SIGKILL);
    if (!strcmp(how, "exec")) execl("/proc/self/exe", argv[0], "_exit", (char *)0);
    if (!strcmp(how, "fork") && fork() == 0) _exit(0);
    if (!strcmp(how, "shell")) return system("true; exit 137") == 137 << 8 ? 137 : 1;
    wait(0);
    return 0;
}
CUDA
cat > "$work/kernels" <<'KERNELS'
store(int*)
add(int*)
add(int*)
KERNELS
while read -r status how; do
    expect $status "$halfwarp" profile --format csv "$work/leave.cu" $how
    cut -d, -f2 "$work/out" | tail -n +2 | cmp -s "$work/kernels" - || [ $how = exec ] ||
        fail "$how: $(cut -c1-60 "$work/out")"
    case $how in abort | throw | segv | kill) says err "ended the program" ;; esac
    [ $status != 137 ] || [ $how = kill ] || silent err
done <<'WAYS'
3 _exit
4 quick
134 abort
134 throw
139 segv
137 kill
137 shell
0 fork
3 exec
WAYS
[ "$(wc -l < "$work/out")" = 7 ] || fail "a program and the one that it became: $(cat "$work/out")"
expect 139 "$halfwarp" profile --lines --format csv "$work/leave.cu" segv
[ "$(grep -c "leave.cu,[67]," "$work/out")" = 2 ] || fail "lines of a program that crashed: $(cut -c1-80 "$work/out")"
expect 0 "$halfwarp" profile --lines --format csv "$work/leave.cu" fork
[ "$(grep -c "add(int\*),2,.*leave.cu,7," "$work/out")" = 1 ] || fail "lines of two launches: $(cut -c1-80 "$work/out")"

# An option of profile that stands behind the program is the program's, which is said once; behind a -- it is meant.
expect 3 "$halfwarp" profile "$work/leave.cu" _exit --lines --format csv
[ "$(cat "$work/err")" = "halfwarp: --lines stands behind $work/leave.cu and went to it; options of halfwarp profile \
stand before the program (a -- there says that this is meant)" ] || fail "no warning of --lines: $(cat "$work/err")"
expect 3 "$halfwarp" profile -- "$work/leave.cu" _exit --lines
! grep -q "stands behind" "$work/err" || fail "a warning in spite of --: $(cat "$work/err")"
expect 3 "$halfwarp" profile "$work/leave.cu" _exit --linesman -x
! grep -q "stands behind" "$work/err" || fail "a warning of what is no option: $(cat "$work/err")"

# A program that launches nothing has a report without rows.
echo 'int main() { return cudaFree(0); }' > "$work/empty.cu"
expect 0 "$halfwarp" profile --format csv "$work/empty.cu"
[ "$(wc -l < "$work/out")" = 1 ] || fail "a program without a launch: $(cat "$work/out")"
finish
