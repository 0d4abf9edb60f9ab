# Launches that would do again what an earlier one did are not executed, and nobody can tell but by the mark: the
# program's output, counters, lines and estimates are those of --no-reuse.
. "$(dirname "$0")/../check.bash"

cat > "$work/repeats.cu" << 'SOURCE'
#include <cstdio>
#include <cstdlib>

__constant__ int factor = 2;

__global__ void scale(int *out, const int *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = factor * in[i];
}

__global__ void add(int *out, const int *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&out[i % 7], in[i]);
}

__global__ void say(int number) {
    if (threadIdx.x == 0) printf("number %d\n", number);
}

int main() {
    enum { N = 1000 };
    int given[N], got[N], *a, *b, *c, three = 3;
    for (int i = 0; i < N; i++) given[i] = i * i;
    cudaMalloc(&a, sizeof given);
    cudaMalloc(&b, sizeof given);
    cudaMalloc(&c, sizeof given);
    cudaMemset(c, 0, sizeof given);
    for (int i = 0; i < 5; i++) {
        cudaMemcpy(a, given, sizeof given, cudaMemcpyHostToDevice);
        if (i == 3) cudaMemcpyToSymbol(factor, &three, sizeof three);
        scale<<<4, 256>>>(b, a, N);
        add<<<4, 256>>>(c, b, N);
        say<<<1, 32>>>(1);
    }
    cudaMemcpy(got, c, sizeof got, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 7; i++) printf("%d\n", got[i]);
    // The memory comes again after a reset, and with it nothing of what was.
    cudaDeviceReset();
    cudaMalloc(&a, sizeof given);
    cudaMalloc(&b, sizeof given);
    cudaMemset(a, 1, sizeof given);
    for (int i = 0; i < 2; i++) scale<<<4, 256>>>(b, a, N);
    cudaMemcpy(got, b, sizeof got, cudaMemcpyDeviceToHost);
    printf("%d\n", got[N - 1]);
    return 0;
}
SOURCE

"$halfwarp" nvcc -lineinfo -o "$work/repeats" "$work/repeats.cu" || exit 77

# without COLUMNS...: the CSV on standard input less these columns.
without() {
    awk -F, -v names="$*" 'BEGIN { n = split(names, name, " "); for (i = 1; i <= n; i++) out[name[i]] = 1 }
        NR == 1 { for (i = 1; i <= NF; i++) if ($i in out) left[i] = 1 }
        { line = ""; for (i = 1; i <= NF; i++) if (!(i in left)) line = line "," $i; print line }'
}

expect 0 "$halfwarp" run --no-reuse "$work/repeats"
cp "$work/out" "$work/wanted"
expect 0 "$halfwarp" run "$work/repeats"
cmp "$work/out" "$work/wanted" || fail "the program's output differs"
for gpu in h200 k40 gtx280; do
    for report in --launches --summary --lines --lines=launch; do
        for choice in --no-reuse ""; do
            # shellcheck disable=SC2086
            expect 0 "$halfwarp" profile $choice --gpu $gpu --threads 1 --format csv $report -o "$work/csv$choice" \
                "$work/repeats"
            cmp "$work/out" "$work/wanted" || fail "$gpu $report $choice: the program's output differs"
        done
        tr -d '"' < "$work/csv" | sed 's/\*, /* /g' | without host_ms reused > "$work/new"
        tr -d '"' < "$work/csv--no-reuse" | sed 's/\*, /* /g' | without host_ms reused > "$work/old"
        cmp "$work/new" "$work/old" ||
            fail "$gpu $report: the report differs: $(diff "$work/old" "$work/new" | head -4)"
    done
done

expect 0 "$halfwarp" profile --format csv -o "$work/csv" "$work/repeats"
marks=$(tr -d '"' < "$work/csv" | sed 's/\*, /* /g' | awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == "reused") at = i }
    NR > 1 { printf "%s", $at }')
[ "$marks" = 00010010000010001 ] || fail "other launches than scale's are reused, or not all: $marks"
expect 0 "$halfwarp" profile "$work/repeats"
says out 'scale (reused)'
says out 'reused                4 of 17 launches were not executed: they would have done what earlier ones did'
expect 0 "$halfwarp" profile --format json "$work/repeats"
says out '"reused": true'
expect 0 "$halfwarp" profile --format json --summary "$work/repeats"
says out '"reused": 4'

# Switched off.
for choice in --no-reuse --seed=3; do
    expect 0 "$halfwarp" profile $choice "$work/repeats"
    ! grep -q reused "$work/out" || fail "$choice: $(grep reused "$work/out")"
done
HALFWARP_REUSE=0 expect 0 "$halfwarp" profile "$work/repeats"
! grep -q reused "$work/out" || fail "HALFWARP_REUSE=0: $(grep reused "$work/out")"
expect 2 "$halfwarp" run --no-reuse=1 "$work/repeats"
refuses '--no-reuse takes no value'
finish
