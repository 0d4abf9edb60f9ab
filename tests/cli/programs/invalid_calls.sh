# What invalid calls about memory return: as CUDA's manual says, and line by line as an H200 answered, where that has
# been recorded (tests/shim/invalid.h200.txt). None of them leaves anything behind.
. "$(dirname "$0")/../check.bash"
source=$(dirname "$0")/../../shim/invalid.cu
recorded=${source%.cu}.h200.txt

# Calls and what the manual promises: cudaErrorINVALID, "last" as the call returned, "then" nothing.
check_manual() {
    local call name
    while IFS='|' read -r call name; do
        grep -F -- "$call " "$work/out" | grep -q " $name, last $name, then cudaSuccess\$" ||
            fail "$compiler: $call is not $name: $(grep -F -- "$call" "$work/out")"
    done << 'ROWS'
cudaMemcpy(p, host, BYTES, cudaMemcpyHostToDevice)|cudaSuccess
cudaMemcpy(p, host, BYTES + 1, cudaMemcpyHostToDevice)|cudaErrorInvalidValue
cudaMemcpy(host, p, BYTES + 1, cudaMemcpyDeviceToHost)|cudaErrorInvalidValue
cudaMemcpy(p + BYTES - 4, host, 8, cudaMemcpyHostToDevice)|cudaErrorInvalidValue
cudaMemcpy(p + BYTES - 4, q, 8, cudaMemcpyDeviceToDevice)|cudaErrorInvalidValue
cudaMemcpyAsync(p, host, BYTES + 1, cudaMemcpyHostToDevice, 0)|cudaErrorInvalidValue
cudaMemset(p, 0, BYTES + 1)|cudaErrorInvalidValue
cudaMemset(p, 0, 0)|cudaSuccess
cudaMemcpy2D(p, PITCH, host, WIDTH, WIDTH, ROWS + 1, cudaMemcpyHostToDevice)|cudaErrorInvalidValue
cudaMemcpy2D(p, WIDTH - 1, host, WIDTH, WIDTH, ROWS, cudaMemcpyHostToDevice)|cudaErrorInvalidPitchValue
cudaMemcpy2D(p, PITCH, host, WIDTH, WIDTH, ROWS, (cudaMemcpyKind)9)|cudaErrorInvalidMemcpyDirection
cudaMemset2D(p, PITCH, 0, WIDTH, ROWS + 1)|cudaErrorInvalidValue
cudaMemcpyToSymbol(variable, words, 65)|cudaErrorInvalidValue
cudaMemcpyToSymbol(variable, words, 8, 60)|cudaErrorInvalidValue
cudaMemcpyFromSymbol(words, words[0], 4)|cudaErrorInvalidSymbol
cudaFree(device + 1)|cudaErrorInvalidValue
cudaFreeHost(device)|cudaErrorInvalidValue
cudaFree(pinned)|cudaErrorInvalidValue
cudaMemcpy(device, host, 4, cudaMemcpyHostToDevice)|cudaErrorInvalidValue
cudaFree(own)|cudaErrorInvalidValue
cudaHostRegister(own + BYTES, 2 * BYTES, 0)|cudaErrorHostMemoryAlreadyRegistered
cudaHostUnregister(own + 2 * BYTES)|cudaErrorHostMemoryNotRegistered
cudaMalloc(&device, half)|cudaErrorMemoryAllocation
cudaMallocManaged(&device, BYTES, 0)|cudaErrorInvalidValue
ROWS
    # Freed twice: once well, once not.
    for call in 'cudaFree(device)' 'cudaFree(managed)' 'cudaFreeHost(pinned)' 'cudaFreeAsync(device, 0)'; do
        grep -F -- "$call " "$work/out" | sed 's/.* \([a-zA-Z]*\), last.*/\1/' > "$work/frees"
        printf '%s\n' cudaSuccess cudaErrorInvalidValue > "$work/wanted"
        tail -2 "$work/frees" | cmp -s - "$work/wanted" || fail "$compiler: $call: $(cat "$work/frees")"
    done
}

routes=0
for compiler in nvcc clang; do
    command -v $compiler >/dev/null || continue
    routes=$((routes + 1))
    expect 0 "$halfwarp" run --gpu h200 --compiler $compiler "$source"
    silent err
    check_manual
    [ "$(tail -1 "$work/out")" = '7 7' ] || fail "$compiler: no kernel runs afterwards: $(tail -3 "$work/out")"
    [ -f "$recorded" ] || continue
    diff "$recorded" "$work/out" > "$work/diff" || fail "$compiler: recorded on an H200 (<) and simulated (>):
$(head -40 "$work/diff")"
done
[ $routes -gt 0 ] || exit 77
finish
