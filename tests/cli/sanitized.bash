# For the sanitized build: whole programs, so that the runtime library and everything below it run under the sanitizers.
# The programs are compiled with AddressSanitizer themselves, as it has to be loaded first; that takes gcc behind nvcc.
about_nvcc=1
. "$(dirname "$0")/check.bash"
command -v nvcc > "$work/where" || exit 77
export ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0:detect_stack_use_after_return=0
export UBSAN_OPTIONS=print_stacktrace=1

# clean STATUS PROGRAM ARGUMENTS...
clean() {
    local status=$1
    shift
    expect "$status" "$halfwarp" profile --format json --lines -o "$work/report" -Xcompiler -fsanitize=address "$@"
    if grep -Eq 'AddressSanitizer|runtime error:' "$work/err"; then
        fail "$*: $(grep -EA12 'AddressSanitizer|runtime error:' "$work/err")"
    fi
}

clean 0 examples/transpose.cu 129 70
clean 0 tests/shim/api.cu
clean 0 tests/shim/memory.cu
for kind in past null freed misaligned trap assert deadlock; do clean 5 tests/shim/faults.cu $kind; done
for program in half_and_groups intrinsics textures; do clean 0 tests/cuda/$program.cu; done
finish
