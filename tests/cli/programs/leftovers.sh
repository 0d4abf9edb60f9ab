# However halfwarp is ended, it leaves no files: not while a program runs, nor while a compiler does.
. "$(dirname "$0")/../check.bash"
command -v clang > "$work/where" || exit 77
export TMPDIR=$work/tmp HALFWARP_HIDE_NVCC=1
mkdir "$TMPDIR" "$work/outputs"

# wait_for FILE: until it is there.
wait_for() {
    local n
    for ((n = 0; n < 600; n++)); do
        [ -e "$1" ] && return
        sleep 0.05
    done
    fail "$1 never came"
}
# nothing_in FOLDER WHEN
nothing_in() {
    [ -z "$(ls -A "$1")" ] || fail "$2: $(ls -A "$1")"
}

cat > "$work/waits.cu" << 'END'
#include <stdio.h>
#include <unistd.h>
__global__ void fill(int *p) { p[threadIdx.x] = 1; }
int main(int argc, char **argv) {
    int *p;
    if (cudaMalloc(&p, 128) != cudaSuccess) return 1;
    fill<<<1, 32>>>(p);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    FILE *told = fopen(argv[1], "w");
    fclose(told);
    if (argc > 2) sleep(60);
    return 0;
}
END
expect 0 "$halfwarp" profile --format csv -o "$work/outputs/p.csv" "$work/waits.cu" "$work/ran"
grep -q 'fill' "$work/outputs/p.csv" || fail "the report: $(head -c 300 "$work/outputs/p.csv")"
nothing_in "$TMPDIR" "after a run"
rm "$work/outputs/p.csv"
set -m   # what a script starts in the background ignores SIGINT otherwise
for signal in INT TERM HUP KILL; do
    rm -f "$work/ran"
    "$halfwarp" profile -o "$work/outputs/p.csv" "$work/waits.cu" "$work/ran" long > "$work/out" 2>&1 &
    child=$!
    wait_for "$work/ran"
    nothing_in "$TMPDIR" "while a program runs"
    nothing_in "$work/outputs" "beside the output while a program runs"
    { kill -$signal $child && wait $child; } 2> "$work/err"
    nothing_in "$TMPDIR" "after SIG$signal"
    rm -f "$work/outputs/p.csv"   # what the program did until then is reported
    nothing_in "$work/outputs" "beside the output after SIG$signal"
done

set +m

# A compiler that leaves a file behind. What nobody could remove is swept by the next that compiles, and what another
# process compiles in meanwhile is not.
newest=$(compgen -c clang- | grep -E '^clang-[0-9]+$' | sort -V | tail -1)
real=$(command -v "${newest:=clang}")
mkdir "$work/bin"
cat > "$work/bin/$newest" << END
#!/bin/bash
case " \$* " in *" -o "*)
    if [ -e "$work/slow" ]; then
        touch "\$TMPDIR/compilers-own"
        echo \$\$ > "$work/compiler.new"
        mv "$work/compiler.new" "$work/compiler"
        exec sleep 60
    fi ;;
esac
exec "$real" "\$@"
END
chmod +x "$work/bin/$newest"
export PATH=$work/bin:$PATH HALFWARP_CACHE=$work/cache
touch "$work/slow"
compile() {
    "$halfwarp" run "$work/waits.cu" "$work/ran" > "$work/out.$1" 2>&1 &
}
compile killed
killed=$!
wait_for "$work/compiler"
{ kill -KILL $killed && wait $killed; } 2> "$work/err"
kill -KILL "$(cat "$work/compiler")"
rm "$work/compiler"
nothing_in "$TMPDIR" "while a compiler runs"
rm "$work"/cache/*.seen   # or clang's headers would be compiled first, in a folder of their own
compile held
held=$!
wait_for "$work/compiler"
[ "$(ls -d "$work"/cache/work.* | wc -l)" = 1 ] || fail "not swept: $(ls "$work/cache")"
rm "$work/slow"
expect 0 "$halfwarp" run "$work/waits.cu" "$work/ran"
[ "$(ls "$work"/cache/work.*/compilers-own | wc -l)" = 1 ] || fail "swept while it was in use: $(ls "$work/cache")"
kill -TERM "$(cat "$work/compiler")"
wait $held
[ $? = 3 ] || fail "the other: $(cat "$work/out.held")"
for entry in "$work"/cache/*; do
    case $entry in */work.* | *.??????) fail "left in the cache: $entry" ;; esac
done
finish
