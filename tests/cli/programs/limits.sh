# run and profile of programs that take too long: --timeout, --max-launches, --only, the hint, SIGUSR1.
. "$(dirname "$0")/../check.bash"

cat > "$work/p.cu" <<'CUDA'
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <csignal>
#include <pthread.h>
#include <unistd.h>
__global__ void first(int *p) { p[threadIdx.x] += 1; }
template <typename T> __global__ void second(T *p) { p[threadIdx.x] += 100; }
// Waits for the host's clock now and then: the machine has little to do, as those that only poll sleep.
__global__ void endless(int *p, int *strikes) {
    for (int i = 0; i >= 0; i = i + 1 & 0xfffffff) {
        if (i % 32 == threadIdx.x % 32) for (int k = 0; k < 8; k++) *(volatile int *)(p + threadIdx.x) += i;
        while (*(volatile int *)strikes < i / 16);
    }
    __syncthreads();
}
__global__ void shifted(volatile int *p) { p[1 << 28] = 1; }
static void *strike(void *strikes) {
    for (;; ++*(volatile int *)strikes) usleep(1000);
}
static void mine(int) { fputs("the program's own handler\n", stderr); }
int main(int argc, char **argv) {
    int *p, *strikes, got[32];
    const bool is_busy = argc > 2 && !strcmp(argv[2], "busy");
    const bool is_endless = is_busy || (argc > 2 && !strcmp(argv[2], "endless"));
    pthread_t clock;
    if (argc > 2 && !strcmp(argv[2], "handles")) signal(SIGUSR1, mine);
    cudaMalloc(&p, 1024);
    cudaMemset(p, 0, 1024);
    for (int i = 0; i < atoi(argv[1]); i++) {
        first<<<1, 32>>>(p);
        second<<<1, 32>>>(p);
    }
    printf("without a newline at its end");
    if (argc > 2 && !strcmp(argv[2], "faults")) shifted<<<1, 1>>>(p);
    if (is_endless) {
        cudaMallocHost(&strikes, sizeof *strikes);
        *strikes = is_busy ? 1 << 30 : 0;
        if (!is_busy) pthread_create(&clock, NULL, strike, strikes);
        endless<<<2, 64>>>(p, strikes);
    }
    if (argc > 2 && !is_endless) sleep(30);
    cudaMemcpy(got, p, sizeof got, cudaMemcpyDeviceToHost);
    printf(": %d\n", got[0]);
    return 7;
}
CUDA
expect 7 "$halfwarp" run "$work/p.cu" 2
says out "end: 202"
silent err
# Ordinals and kernels of the report, in one line.
rows() {
    tail -n +2 "$work/r.csv" | sed 's/void //; s/"\([^"]*\)"/\1/; s/([^)]*)//; s/<[a-z]*>//' | cut -d, -f1,2 |
        tr '\n' ' '
}

# ---- --timeout: 124; what was counted is reported, of the launch that is stopped as far as it came -------------------

# One thread is enough for a kernel that is busy until it is stopped.
expect 124 "$halfwarp" profile --threads 1 --timeout 1.5 --format csv -o "$work/r.csv" "$work/p.cu" 1 busy
[ "$(rows)" = "0,first 1,second 2,endless " ] || fail "rows: $(rows)"
[ "$(cat "$work/out")" = "without a newline at its end" ] || fail "its output is lost: $(cat "$work/out")"
says err "the program was ended after 1.5 s (--timeout), in the midst of kernel endless(int*, int*), launch 3"
column=$(head -1 "$work/r.csv" | tr , '\n' | grep -nx thread_inst | cut -d: -f1)
tail -1 "$work/r.csv" | sed 's/"[^"]*"/x/g' | awk -F, -v c="$column" '$c < 100000 {exit 1}' ||
    fail "nothing was counted of the launch that was stopped: $(tail -1 "$work/r.csv")"
# In the host's own code, and where there is no GPU.
expect 124 "$halfwarp" profile --timeout 1 --format csv -o "$work/r.csv" "$work/p.cu" 1 sleeps
[ "$(rows)" = "0,first 1,second " ] || fail "rows: $(rows)"
says err "ended after 1 s (--timeout)"
[ "$(wc -l < "$work/err")" = 1 ] || fail "more than a sentence: $(cat "$work/err")"
expect 124 "$halfwarp" run --timeout .5 sleep 30
# One that does not mind SIGTERM.
expect 124 "$halfwarp" run --timeout .5 bash -c 'trap "" TERM; while :; do sleep .1; done'
# A fault is more to know than that it took long; one that is done in time is not touched.
expect 5 "$halfwarp" run --timeout 2 "$work/p.cu" 1 faults
expect 7 "$halfwarp" run --timeout 60 "$work/p.cu" 1
silent err
# Of several processes each ends by itself, reported.
cat > "$work/both.sh" <<'END'
#!/bin/sh
"$@" & "$@" & wait
END
chmod +x "$work/both.sh"
"$halfwarp" nvcc -o "$work/p" "$work/p.cu" || fail "p.cu does not compile"
expect 124 "$halfwarp" profile --threads 1 --timeout 2 --format csv -o "$work/r.csv" "$work/both.sh" "$work/p" 0 endless
[ "$(rows)" = "0,endless 1,endless " ] || fail "rows of two processes: $(rows)"

# ---- --max-launches ------------------------------------------------------------------------------------------------

expect 0 "$halfwarp" profile --max-launches 3 --format csv -o "$work/r.csv" "$work/p.cu" 100
[ "$(rows)" = "0,first 1,second 2,first " ] || fail "rows: $(rows)"
says err "the program is ended here, after 3 launches (--max-launches)"
silent out
expect 7 "$halfwarp" run --max-launches 5 "$work/p.cu" 2
silent err
expect 0 "$halfwarp" run --max-launches 4 "$work/p.cu" 2
says err "after 4 launches"

# ---- --only: the others are not executed, and have their ordinals ----------------------------------------------------

while IFS=';' read -r options wanted sum; do
    # shellcheck disable=SC2086
    expect 7 "$halfwarp" profile --format csv -o "$work/r.csv" $options "$work/p.cu" 3
    [ "$(rows)" = "$wanted" ] || fail "$options: $(rows)"
    says out ": $sum"
    says err "launches that --only leaves out are not executed, the first of them of "
    says err "what the program computes is not to be trusted"
    [ "$(wc -l < "$work/err")" = 1 ] || fail "$options: more than a sentence: $(cat "$work/err")"
done <<'ROWS'
--only kernel=first;0,first 2,first 4,first ;3
--only kernel=^second<int>;1,second 3,second 5,second ;300
--only=kernel=none;;0
--only launch=2/3;1,second 4,first ;101
--only launch=1/2 --only kernel=first;0,first 2,first 4,first ;3
--only kernel=first --count 1;0,first ;3
ROWS
expect 7 "$halfwarp" run --only launch=1/1 "$work/p.cu" 3
says out ": 303"
silent err
# What is not executed does not count.
expect 0 "$halfwarp" profile --only kernel=second --max-launches 2 --format csv -o "$work/r.csv" "$work/p.cu" 9
[ "$(rows)" = "1,second 3,second " ] || fail "rows: $(rows)"

refuses_rows "$halfwarp" run <<'ROWS'
--timeout 0 p|--timeout takes a number of seconds above 0, and got '0'
--timeout 5m p|got '5m'
--timeout -1 p|got '-1'
--max-launches 0 p|--max-launches takes a number of launches from 1 on, and got '0'
--only first p|--only takes kernel=REGEX or launch=K/N, K from 1 to N, and got 'first'
--only launch=3/2 p|got 'launch=3/2'
--only launch=0/2 p|got 'launch=0/2'
--only 'kernel=(' p|--only kernel= takes an extended regular expression, and '(' is none
ROWS

# ---- The hint: once, and why -----------------------------------------------------------------------------------------

HALFWARP_HINT=.5 expect 124 "$halfwarp" run --threads 1 --timeout 3.5 "$work/p.cu" 0 busy
grep -qE 'kernel endless\(int\*, int\*\), launch 1, has taken [1-4] s so far: [0-9.]+ of 32 lanes are on' \
    "$work/err" || fail "no hint: $(cat "$work/err")"
[ "$(wc -l < "$work/err")" = 2 ] || fail "more than a hint: $(cat "$work/err")"
HALFWARP_HINT=0 expect 124 "$halfwarp" run --threads 1 --timeout 2.2 "$work/p.cu" 0 endless
[ "$(wc -l < "$work/err")" = 1 ] || fail "a hint that nobody wants: $(cat "$work/err")"

# ---- SIGUSR1, to halfwarp and to the program, which goes on ----------------------------------------------------------

# signalled NAME WHOM COMMAND... begins it; it gets SIGUSR1 when it has run for a while. Most of it is waiting: several
# at a time. heard NAME: it has ended with $status, and its output is that of the last command.
declare -A begun
signalled() {
    local name=$1 whom=$2
    shift 2
    (
        "$@" > "$work/$name.out" 2> "$work/$name.err" < /dev/null &
        sleep 1.2
        target=$!
        [ "$whom" = halfwarp ] || target=$(cat /proc/$target/task/$target/children)
        kill -USR1 $target
        wait $!
    ) &
    begun[$name]=$!
}
heard() {
    wait "${begun[$1]}"
    status=$?
    mv "$work/$1.out" "$work/out"
    mv "$work/$1.err" "$work/err"
}
signalled halfwarp halfwarp "$halfwarp" run --threads 2 --timeout 2.5 "$work/p.cu" 0 endless
signalled sleeps halfwarp "$halfwarp" run --timeout 2.5 "$work/p.cu" 1 sleeps
signalled handles halfwarp "$halfwarp" run --timeout 2.5 "$work/p.cu" 1 handles
signalled none halfwarp "$halfwarp" run sleep 2
heard sleeps
says err "no kernel is running"
heard handles
says err "the program's own handler"
heard none
[ $status = 0 ] || fail "a program without a GPU: status $status"
says err "no process of the program has a GPU yet"
for whom in halfwarp program; do
    [ $whom = halfwarp ] || signalled program program "$halfwarp" run --threads 2 --timeout 2.5 "$work/p.cu" 0 endless
    heard $whom
    [ $status = 124 ] || fail "SIGUSR1 to the $whom: status $status"
    grep -qE '^halfwarp: kernel endless\(int\*, int\*\), launch 1, thread [12] of 2; 2 of 2 blocks have begun$' \
        "$work/err" || fail "SIGUSR1 to the $whom: $(cat "$work/err")"
    for block in 0 1; do
        grep -qE "^  block .*\($block,0,0\).*: [0-9]+ threads? of [12] warps? at [^ ]*p\.cu:(11|12|13)" "$work/err" ||
            fail "SIGUSR1 to the $whom: nothing of block $block: $(cat "$work/err")"
    done
done
finish
