# The line on the terminal that says how a long launch gets on: when it is there, what it says, and that nothing of what
# the program writes is lost or mixed with it.
. "$(dirname "$0")/../check.bash"
command -v python3 > "$work/where" || { echo "no python3 to be a terminal"; exit 77; }
unset COLUMNS
export TERM=xterm

cat > "$work/p.cu" <<'CUDA'
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <unistd.h>
// Block i waits for the host's clock to strike i + 1 times: it takes its time, whatever the machine, and the machine
// next to nothing, as those that only poll sleep.
template <typename T> __global__ void takes_its_time(T *p, volatile int *strikes) {
    while (*strikes <= (int)blockIdx.x);
    *p = (T)*strikes;
}
static void *strike(void *strikes) {
    for (;; ++*(volatile int *)strikes) usleep(200000);
}
static void *talk(void *) {
    usleep(1300000);
    for (int i = 0; i < 4; i++) fprintf(stderr, "said meanwhile, line %d\n", i);
    return NULL;
}
int main(int argc, char **argv) {
    pthread_t talker, clock;
    float *p;
    int *strikes;
    int lines = atoi(argv[1]), blocks = atoi(argv[2]);
    cudaMalloc(&p, 4);
    cudaMallocHost(&strikes, 4);
    *strikes = 0;
    for (int i = 0; i < lines; i++) printf("line %d\n", i);
    printf("a line that is not done, ");
    fflush(stdout);
    pthread_create(&talker, NULL, talk, NULL);
    pthread_create(&clock, NULL, strike, strikes);
    takes_its_time<<<blocks, 1>>>(p, strikes);
    cudaDeviceSynchronize();
    if (blocks > 5) pthread_join(talker, NULL);
    printf("until now\n");
    return 3;
}
CUDA
"$halfwarp" nvcc -o "$work/p" "$work/p.cu" || fail "p.cu does not compile"

# Most of the time is waiting: several terminals at a time. on NAME ROWSxCOLUMNS [OPTIONS] -- COMMAND... begins one;
# gone NAME: it has ended with $status, and parts of what terminal.py prints are in seen, line and left.
declare -A terminals
on() {
    local name=$1
    shift
    python3 "$(dirname "$0")/terminal.py" "$@" > "$work/$name.terminal" 2> "$work/$name.err" &
    terminals[$name]=$!
}
gone() {
    wait "${terminals[$1]}"
    status=$?
    [ ! -s "$work/$1.err" ] || fail "$1: $(cat "$work/$1.err")"
    for part in seen line left; do
        sed '/^----$/,$d' "$work/$1.terminal" > "$work/$part"
        sed -i '1,/^----$/d' "$work/$1.terminal"
    done
}
# shown LINES: the program's output as it must be seen, with that many before.
shown() {
    local i
    for ((i = 0; i < $1; i++)); do echo "line $i"; done
    echo "a line that is not done, said meanwhile, line 0"
    for i in 1 2 3; do echo "said meanwhile, line $i"; done
    echo "until now"
}
run=("$halfwarp" run --threads 1)

# ---- What is seen: all that the program says, as it says it, wherever the cursor is ----------------------------------

on rows24 24x100 -- "${run[@]}" "$work/p" 1 9
on rows8 8x100 -- "${run[@]}" "$work/p" 20 9
on rows5 5x100 -- "${run[@]}" "$work/p" 4 9
on columns60 24x60 -- "$halfwarp" profile --format csv -o "$work/r.csv" --threads 1 "$work/p" 0 9
numbers='of 9 blocks after [1-9][0-9]* s, [0-9.]+ [kMG] thread inst/s, [0-9]+ s left'
for rows_lines in "24 1" "8 20" "5 4"; do
    read -r rows lines <<< "$rows_lines"
    gone rows$rows
    [ $status = 3 ] || fail "$rows rows: exit status $status"
    [ "$(cat "$work/seen")" = "$(shown $lines)" ] || fail "$rows rows, $lines lines before: $(cat "$work/seen")"
    [ ! -s "$work/left" ] || fail "$rows rows: $(cat "$work/left")"
    grep -qxE "takes_its_time<float>, launch 1: (55|66|77|88)% $numbers" "$work/line" ||
        fail "$rows rows: the line: $(cat "$work/line")"
    ! grep -q 'after 0 s' "$work/line" || fail "it is there too early: $(cat "$work/line")"
    [ "$(wc -l < "$work/line")" -ge 2 ] || fail "it is not refreshed: $(cat "$work/line")"
done
# Where there is little room the name gives way.
gone columns60
grep -qxE 'takes[^ ]*\.\.\.[^ ]*oat>, launch 1: [0-9]+% of 9 blocks after [1-9][0-9]* s, [0-9]+ s left' "$work/line" ||
    fail "60 columns: $(cat "$work/line")"
awk 'length > 59 {exit 1}' "$work/line" || fail "wider than 60 columns: $(cat "$work/line")"

# ---- Where there is none ---------------------------------------------------------------------------------------------

none() {
    [ ! -s "$work/line" ] || fail "$1: a line: $(cat "$work/line")"
    [ "$(cat "$work/seen")" = "$2" ] || fail "$1: seen: $(cat "$work/seen")"
}
on short 24x100 -- "${run[@]}" "$work/p" 0 3
TERM=dumb on dumb 24x100 -- "${run[@]}" "$work/p" 0 9
on raw 24x100 --raw -- "${run[@]}" "$work/p" 0 9
on file 24x100 -- sh -c '"$@" 2> "$0"' "$work/told" "${run[@]}" "$work/p" 0 9
gone short
none "a short launch" "a line that is not done, until now"
gone dumb
none "TERM=dumb" "$(shown 0)"
gone raw
none "somebody else has the keyboard" "$(shown 0)"
gone file
none "standard error is a file" "a line that is not done, until now"
[ "$(cat "$work/told")" = "$(seq -f 'said meanwhile, line %g' 0 3)" ] || fail "in the file: $(cat -v "$work/told")"

# ---- The row is given back, however the launch ends ------------------------------------------------------------------

# Ctrl-Z: a shell that knows jobs goes on with all rows, and its fg with a line again.
cat > "$work/job.sh" <<'END'
set -m
"$@" &
fg %1 > /dev/null
printf '\a%s\n' "the shell goes on"
sleep .3
fg %1 > /dev/null
END
COLUMNS=30 on killed 24x100 --kill 3:SIGKILL -- "${run[@]}" "$work/p" 0 90
on interrupted 24x100 --send '3:\x03' -- "${run[@]}" "$work/p" 0 90
on timeout 24x100 -- "${run[@]}" --timeout 3 "$work/p" 0 90
on stopped 24x100 --send '2:\x1a' -- bash "$work/job.sh" "${run[@]}" "$work/p" 0 19
for end in killed interrupted timeout stopped; do
    gone $end
    [ -s "$work/line" ] || fail "$end: no line"
    [ ! -s "$work/left" ] || fail "$end: $(cat "$work/left")"
    case $end in
        killed) awk 'length > 29 {exit 1}' "$work/line" || fail "COLUMNS=30: $(cat "$work/line")" ;;
        timeout)
            [ $status = 124 ] || fail "--timeout: status $status"
            grep -q '^halfwarp: the program was ended after 3 s' "$work/seen" ||
                fail "--timeout: $(cat "$work/seen")" ;;
        stopped) grep -q 'the shell goes on' "$work/seen" || fail "Ctrl-Z: $(cat "$work/seen")" ;;
    esac
done
finish
