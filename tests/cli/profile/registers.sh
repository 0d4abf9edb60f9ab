# Registers, spills and local arrays: profile and occupancy tell the same of a kernel, with ptxas and without, under
# launch bounds and -maxrregcount; dynamic shared memory that was not given is marked.
about_nvcc=1
. "$(dirname "$0")/../check.bash"

cat > "$work/crowded.cu" << 'CUDA'
#define CROWD                                                                                                          \
    float v[64];                                                                                                       \
    _Pragma("unroll") for (int i = 0; i < 64; i++) v[i] = p[i * 32 + threadIdx.x];                                     \
    for (int r = 0; r < n; r++) {                                                                                      \
        _Pragma("unroll") for (int i = 0; i < 64; i++) v[i] = v[i] * v[(i + 31) % 64] + p[r];                          \
    }                                                                                                                  \
    _Pragma("unroll") for (int i = 0; i < 64; i++) p[i * 32 + threadIdx.x] = v[i];
__global__ void crowded(float *p, int n) { CROWD }
__global__ void __launch_bounds__(256, 4) bounded(float *p, int n) { CROWD }
__global__ void small(float *p, int n) { p[threadIdx.x] += n; }
__global__ void indexed(float *p, int n) {
    float a[32];
    for (int i = 0; i < 32; i++) a[i] = p[i];
    p[threadIdx.x] = a[(n + threadIdx.x) & 31];
}
extern __shared__ float tile[];
__global__ void dynamic(float *p, int n) {
    tile[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = tile[n - threadIdx.x];
}
int main() {
    float *p;
    cudaMalloc(&p, 1 << 16);
    cudaMemset(p, 0, 1 << 16);
    crowded<<<1, 32>>>(p, 3);
    bounded<<<1, 32>>>(p, 3);
    small<<<1, 32>>>(p, 3);
    indexed<<<1, 32>>>(p, 3);
    dynamic<<<1, 32, 128>>>(p, 31);
    return cudaDeviceSynchronize();
}
CUDA
# "kernel regs regs_estimated spill_bytes" of each kernel in a CSV file. Behind a kernel's name, which may have commas,
# columns are counted from the end.
of_csv() {
    awk -F , 'NR == 1 {for (i = 1; i <= NF; i++) behind[$i] = NF - i; next}
              {split($0, quoted, "\""); split(quoted[2], name, "(")
               print name[1], $(NF - behind["regs"]), $(NF - behind["regs_estimated"]),
                     $(NF - behind["spill_bytes"])}' "$1" | sort
}
value() { grep "^$1 " "$work/regs" | cut -d' ' -f$2; }   # value KERNEL FIELD
# same OPTIONS: asks both; $work/regs has what they say.
same() {
    expect 0 "$halfwarp" profile --format csv -o "$work/p.csv" "$@" "$work/crowded.cu"
    expect 0 "$halfwarp" occupancy --format csv -o "$work/o.csv" "$@" "$work/crowded.cu"
    of_csv "$work/p.csv" > "$work/regs"
    of_csv "$work/o.csv" | diff "$work/regs" - > "$work/diff" || fail "$*: $(cat "$work/diff")"
    [ "$(wc -l < "$work/regs")" = 5 ] || fail "$*: kernels: $(cat "$work/regs")"
}

for gpu in h200 k40 gtx280; do
    for hide in "" 1; do
        # ptxas knows nothing of either of the older two, and costs seconds: one of them is left to asking all.
        [ "$gpu$hide" != k40 ] || asks_all || continue
        export HALFWARP_HIDE_NVCC=$hide
        same --gpu $gpu
        [ "$(value small 4)" = 0 ] || fail "$gpu: spills of a small kernel: $(cat "$work/regs")"
        free=$(value crowded 2)
        same --gpu $gpu -maxrregcount=32
        [ "$(value crowded 2)" -le 32 ] && [ "$(value crowded 4)" -gt 0 ] && [ "$free" -gt 32 ] ||
            fail "$gpu, $free registers without a limit: $(cat "$work/regs")"
        ! grep -q warning "$work/err" || fail "the compiler says that the limit is ignored: $(cat "$work/err")"
    done
    # Estimates keep to launch bounds, which win over the limit, and are marked.
    [ "$(value bounded 3)" = 1 ] && [ "$(value bounded 4)" -gt 0 ] || fail "$gpu: bounded: $(cat "$work/regs")"
done
# 65536 registers for 4 blocks of 256 threads.
same
[ "$(value bounded 2)" = 64 ] || fail "bounded on the H200: $(cat "$work/regs")"
[ "$(value small 2)" = 16 ] || fail "the H200 gives no fewer than 16: $(cat "$work/regs")"
expect 0 "$halfwarp" profile "$work/crowded.cu"
says out "~"
says out "estimated: ptxas was not there to say"
asks_all && unset HALFWARP_HIDE_NVCC     # how an option is written is no matter to ptxas
for option in "--maxrregcount 32" "-maxrregcount 32" --maxrregcount=32 "-Xptxas -maxrregcount=32"; do
    # shellcheck disable=SC2086
    same $option
    [ "$(value crowded 2)" = 32 ] || fail "$option: $(cat "$work/regs")"
done
unset HALFWARP_HIDE_NVCC
# A limit that the GPU has not, below and above, is told, once, with what it comes to.
for command in profile occupancy; do
    expect 0 "$halfwarp" $command -maxrregcount=8 "$work/crowded.cu"
    says err "ptxas gives no kernel of compute capability 9.0 fewer"
    [ "$(grep -c "maxrregcount=8 counts as 24" "$work/err")" = 1 ] ||
        fail "$command, below the floor: $(cat "$work/err")"
    expect 0 "$halfwarp" $command --gpu m2090 -maxrregcount=100 "$work/crowded.cu"
    says err "limits nothing: a thread of compute capability 2.0 has 63 registers at most"
    expect 0 "$halfwarp" $command -maxrregcount=32 "$work/crowded.cu"
    silent err
done
# Executables and device code are compiled when they are loaded, so that the limit is theirs as well.
nvcc_here=$(dirname "$halfwarp")/halfwarp-nvcc
expect 0 "$nvcc_here" -arch=compute_75 "$work/crowded.cu" -o "$work/crowded"
expect 0 "$halfwarp" ptx "$work/crowded" -o "$work/crowded.ptx"
expect 0 "$nvcc_here" -fatbin -arch=compute_75 "$work/crowded.ptx" -o "$work/crowded.fatbin"
for hide in "" 1; do
    export HALFWARP_HIDE_NVCC=$hide
    for limit in "" "-maxrregcount=40" "-Xptxas -maxrregcount=32"; do
        # shellcheck disable=SC2086
        expect 0 "$halfwarp" profile --format csv -o "$work/p.csv" $limit "$work/crowded"
        silent err
        of_csv "$work/p.csv" > "$work/regs"
        for file in crowded crowded.ptx crowded.fatbin; do
            # shellcheck disable=SC2086
            expect 0 "$halfwarp" occupancy --format csv -o "$work/o.csv" $limit "$work/$file"
            of_csv "$work/o.csv" | diff "$work/regs" - > "$work/diff" || fail "$file $limit: $(cat "$work/diff")"
        done
        case $limit in
            "") [ "$(value crowded 2)" -gt 40 ] ;;
            *) [ "$(value crowded 2)" = "${limit##*=}" ] && [ "$(value crowded 4)" -gt 0 ] ;;
        esac || fail "an executable, hidden '$hide', $limit: $(cat "$work/regs")"
        [ "$(value bounded 2)" = 64 ] || fail "an executable's launch bounds, $limit: $(cat "$work/regs")"
    done
done
unset HALFWARP_HIDE_NVCC
expect 0 "$halfwarp" run -maxrregcount 40 "$work/crowded"
expect 0 "$halfwarp" run -arch=sm_80 -maxrregcount 40 "$work/crowded"
says err "-arch=sm_80 is ignored"
expect 2 "$halfwarp" run -deviceemu "$work/crowded"
refuses "-deviceemu is for the compiler of a source file"
# Where ptxas is not there, the program's own machine code says the same as ptxas, by both commands; with lines
# (-lineinfo) how many instructions there are, too; and under a limit, or of another generation, it says nothing.
if nvcc=$(command -v nvcc) && nvcc=$(readlink -f "$nvcc") && [ "$(basename "$nvcc")" = nvcc ]; then
    "$nvcc" -arch=sm_90 -lineinfo -cudart shared -o "$work/carries" "$work/crowded.cu"
    expect 0 "$halfwarp" profile --format csv -o "$work/p.csv" "$work/carries"
    of_csv "$work/p.csv" > "$work/by_ptxas"
    # Debian's ptxas is in /usr/bin: a folder of links has what runs need, without it.
    mkdir "$work/bin"
    for program in sh addr2line cc; do
        path=$(command -v $program) && ln -s "$path" "$work/bin/$program"
    done
    PATH=$work/bin expect 0 "$halfwarp" profile --format csv -o "$work/c.csv" "$work/carries"
    PATH=$work/bin expect 0 "$halfwarp" occupancy --format csv -o "$work/o.csv" "$work/carries"
    of_csv "$work/c.csv" | diff "$work/by_ptxas" - > "$work/diff" || fail "carried: $(cat "$work/diff")"
    of_csv "$work/o.csv" | diff "$work/by_ptxas" - > "$work/diff" || fail "carried, occupancy: $(cat "$work/diff")"
    of_csv "$work/c.csv" | grep -q "^crowded [0-9]* 0 " || fail "carried: $(cat "$work/by_ptxas")"
    # All columns, but the host's time.
    sed -E -i 's/,[0-9]+\.[0-9]{4},/,,/' "$work/p.csv" "$work/c.csv"
    diff "$work/p.csv" "$work/c.csv" > "$work/diff" || fail "carried, all columns: $(cat "$work/diff")"
    for of in "--gpu a100" -maxrregcount=40; do
        # shellcheck disable=SC2086
        PATH=$work/bin expect 0 "$halfwarp" profile --format csv -o "$work/c.csv" $of "$work/carries"
        of_csv "$work/c.csv" | grep -q "^crowded [0-9]* 1 " || fail "carried, $of: $(of_csv "$work/c.csv")"
    done
fi
printf 'int main() { return 0; }\n' > "$work/old.cu"
expect 0 "$halfwarp" run -deviceemu -keep "$work/old.cu"
says err "-deviceemu is ignored: "
says err "-keep is ignored: "
expect 2 "$halfwarp" profile -maxrregcount=40 -O2 "$work/crowded"
refuses "-O2 is for the compiler of a source file"
expect 2 "$halfwarp" profile -Xptxas -v "$work/crowded"
refuses "-Xptxas is for the compiler of a source file"
expect 2 "$halfwarp" profile -maxrregcount=x "$work/crowded.cu"
refuses "-maxrregcount takes a number of registers per thread, and got 'x'"
expect 2 "$halfwarp" occupancy -maxrregcount=0 "$work/crowded.cu"
refuses "-maxrregcount takes a number of registers per thread, and got '0'"
expect 2 "$halfwarp" profile -Xptxas -maxrregcount=many "$work/crowded.cu"
refuses "got 'many'"

# Two columns with honest names: arrays that are indexed at run time, per line too, and registers put away.
expect 0 "$halfwarp" profile --lines -maxrregcount=32 "$work/crowded.cu"
tr -s ' ' < "$work/out" > "$work/words"
grep -q "arrays spills" "$work/words" || fail "not two columns: $(cat "$work/words")"
grep -Eq '^ 0 crowded .* - ~?[0-9]+ B ' "$work/words" || fail "no spills of crowded: $(cat "$work/words")"
grep -Eq '^ 3 indexed .* [0-9.]+ k?B - ' "$work/words" || fail "no local arrays of indexed: $(cat "$work/words")"
says out "local arrays          bytes to and from arrays in local memory"
grep -Eq '^crowded\(float\*, int\), 1 launch; spills of ~?[0-9]+ B per thread are on no line$' "$work/out" ||
    fail "the lines of crowded do not name its spills: $(grep '^crowded' "$work/out")"
! grep -q "spill traffic" "$work/out" || fail "local arrays are called spills"
line=$(grep -n 'a\[(n + threadIdx.x)' "$work/crowded.cu" | cut -d: -f1)
grep -Eq "^ $line .* kB$" "$work/words" || fail "no local arrays of line $line: $(cat "$work/words")"

# Dynamic shared memory that was not given.
expect 0 "$halfwarp" occupancy "$work/crowded.cu"
grep -Eq '^  dynamic .* 0\? ' "$work/out" || fail "dynamic is not marked: $(cat "$work/out")"
[ "$(grep -c '0? ' "$work/out")" = 1 ] || fail "others are marked: $(cat "$work/out")"
says out "?  dynamic shared memory not given, 0 assumed: --smem N"
expect 0 "$halfwarp" occupancy --smem 0 "$work/crowded.cu"
! grep -q '?' "$work/out" || fail "0 was given, and marked: $(cat "$work/out")"
expect 0 "$halfwarp" occupancy --format csv "$work/crowded.cu"
grep -Eq '^"dynamic.*,1,[a-z]+ [0-9.]+,[0-9]+$' "$work/out" || fail "CSV: $(cat "$work/out")"
grep -Eq '^"small.*,0,[a-z]+ [0-9.]+,[0-9]+$' "$work/out" || fail "CSV: $(cat "$work/out")"
expect 0 "$halfwarp" occupancy --format json "$work/crowded.cu"
[ "$(grep -o '"smem_assumed": true' "$work/out" | wc -l)" = 1 ] || fail "JSON: $(cat "$work/out")"
grep -Eq '"ptx_by": "[a-z]+ [0-9.]+"' "$work/out" || fail "JSON: $(cut -c1-200 "$work/out")"
finish
