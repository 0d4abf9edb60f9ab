# The host's own code in device memory: the program ends as by a segmentation fault, after a sentence that names line,
# address and allocation. Programs that handle the signal are left to, and other crashes say nothing.
. "$(dirname "$0")/../check.bash"
source=$(dirname "$0")/../../shim/touch.cu
made=$(grep -n 'made here' "$source" | cut -d: -f1)

# touches NAME WHAT WHERE LINE: of the source, that does it
touches() {
    expect 139 "$halfwarp" run --compiler $compiler "$source" "$1"
    says err "touch.cu:$4: host code $2 device memory, which only kernels can reach: 0x"
    says err "$3"
    says err '; copy it with cudaMemcpy'
    [ "$(wc -l < "$work/err")" = 1 ] || fail "$1: more than a sentence: $(cat "$work/err")"
}
line() { grep -n "$1.*// here" "$source" | cut -d: -f1; }

routes=0
for compiler in nvcc clang; do
    command -v $compiler >/dev/null || continue
    routes=$((routes + 1))
    writes='writes to' reads=reads
    [ "$(uname -m)" = x86_64 ] || writes=touches reads=touches
    touches write "$writes" ", 16 bytes into the allocation of 1000 bytes made at " "$(line '"write"')"
    says err "touch.cu:$made; copy"
    touches read "$reads" ', 20 bytes into the allocation of 1000 bytes' "$(line '"read"')"
    touches past "$writes" ', 0 bytes past the end of the nearest allocation of 1000 bytes' "$(line '"past"')"
    touches copy "$reads" ' bytes into the allocation of 1000 bytes' "$(line '"copy"')"
    touches free "$reads" ', 8 bytes before the nearest allocation of 1000 bytes' "$(line '"free"')"
    touches vector "$reads" ', 4 bytes into the allocation of 1000 bytes' "$(line '"vector"')"
    touches freed "$writes" ', 8 bytes into the freed allocation of 1000 bytes' "$(line 'p.2. = 1')"
    touches variable "$writes" ', 4 bytes into the variable of 16 bytes' "$(line 'address.1')"
    expect 42 "$halfwarp" run --compiler $compiler "$source" handled
    silent err
    for how in null sent; do
        expect 139 "$halfwarp" run --compiler $compiler "$source" $how
        silent err
    done
    # A kernel's fault is told as ever, and the report of the launches before a crash is there.
    expect 5 "$halfwarp" run --compiler $compiler "$source" kernel
    expect 139 "$halfwarp" profile --format csv -o "$work/report" --compiler $compiler "$source" write
    grep -q '^0,.*set' "$work/report" || fail "no row of the launch before the crash: $(cat "$work/report")"
    expect 0 "$halfwarp" run --compiler $compiler "$source" pinned
    says out 7
done
[ $routes -gt 0 ] || exit 77
finish
