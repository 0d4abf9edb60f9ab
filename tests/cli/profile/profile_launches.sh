# profile of many launches: which are counted, summaries, lines by launch, tables that fit, the compiler's name.
. "$(dirname "$0")/../check.bash"

cat > "$work/many.cu" <<'CUDA'
#include <cstdio>
#include <cstdlib>
namespace ns {
template <typename T, int N> __global__ void a_kernel_with_a_name_that_is_long_enough(T *p) { p[threadIdx.x] += N; }
}
__global__ void step(int *p, int n) {
    extern __shared__ int tile[];
    tile[threadIdx.x] = p[threadIdx.x * n];   // a line that is too long to stand beside all of its counters
    __syncthreads();
    p[threadIdx.x] = tile[31 - threadIdx.x % 32];
}
int main(int argc, char **argv) {
    int *p, rounds = atoi(argv[1]), sum[64];
    cudaMalloc(&p, 1 << 20);
    cudaMemset(p, 0, 1 << 20);
    for (int i = 0; i < rounds; i++) {
        ns::a_kernel_with_a_name_that_is_long_enough<int, 3><<<1, 64>>>(p);
        step<<<1 + i % 2, 32, 256>>>(p, 1 + i % 4);
    }
    cudaMemcpy(sum, p, sizeof sum, cudaMemcpyDeviceToHost);
    printf("%d\n", sum[0]);
}
CUDA
profile() { "$halfwarp" profile "$@"; }
# Ordinals and kernels of the report, in one line.
rows() {
    tail -n +2 "$work/r.csv" | sed 's/void //; s/ns::a_[^(]*/long/; s/"\([^"(]*\)([^"]*"/\1/' | cut -d, -f1,2 |
        tr '\n' ' '
}

# ---- Which launches are counted; the program runs the same ----------------------------------------------------------

expect 0 profile --format csv -o "$work/r.csv" "$work/many.cu" 3
program=$(cat "$work/out")
[ "$(rows)" = "0,long 1,step 2,long 3,step 4,long 5,step " ] || fail "all: $(rows)"
while IFS=';' read -r options wanted; do
    # shellcheck disable=SC2086
    expect 0 profile --format csv -o "$work/r.csv" $options "$work/many.cu" 3
    [ "$(rows)" = "$wanted" ] || fail "$options: $(rows)"
    [ "$(cat "$work/out")" = "$program" ] || fail "$options: the program says $(cat "$work/out"), not $program"
    silent err
done <<'ROWS'
--kernel step;1,step 3,step 5,step 
--kernel ^step\(int;1,step 3,step 5,step 
--kernel=long_enough<int,.3>;0,long 2,long 4,long 
--kernel ^(step|ns::a).*int;0,long 1,step 2,long 3,step 4,long 5,step 
--kernel ^void;0,long 2,long 4,long 
--kernel ^int;
--skip 4;4,long 5,step 
--count 2;0,long 1,step 
--kernel step --skip 1 --count 1;3,step 
--kernel step --skip 9;
--skip 0 --count 99 --kernel long;0,long 2,long 4,long 
ROWS
expect 0 profile --kernel step --skip 1 "$work/many.cu" 3
says out "2 of the program's 6 launches were counted"
expect 0 profile --kernel none "$work/many.cu" 3
says out "none of the program's launches was counted"
expect 0 profile --kernel step --format json "$work/many.cu" 3
grep -q '"uncounted": 3,' "$work/out" || fail "JSON: $(cut -c1-200 "$work/out")"

# A wrong expression or number is wrong usage, before anything is compiled or run.
refuses_rows profile <<'ROWS'
--kernel '(' "$work/many.cu" 3|'(' is none: Unmatched (
--kernel 'a[' "$work/many.cu" 3|--kernel takes an extended regular expression
--kernel '' "$work/many.cu" 3|it is empty
--skip x "$work/many.cu" 3|--skip takes a number
--skip -1 "$work/many.cu" 3|--skip takes a number
--count 0 "$work/many.cu" 3|--count takes a number of launches from 1 on
--count 1e3 "$work/many.cu" 3|--count takes a number
--lines=line "$work/many.cu" 3|--lines=kernel, =group or =launch, and not 'line'
--lines= "$work/many.cu" 3|--lines=kernel
--summary=1 "$work/many.cu" 3|--summary takes no value
ROWS
expect 2 "$halfwarp" run --kernel step "$work/many.cu" 3
says err "option of \`halfwarp profile\`"

# ---- A summary per kernel -------------------------------------------------------------------------------------------

expect 0 profile --format csv -o "$work/r.csv" "$work/many.cu" 30
expect 0 profile --summary --format csv -o "$work/s.csv" "$work/many.cu" 30
if command -v python3 > "$work/where"; then
    python3 - "$work/r.csv" "$work/s.csv" << 'PYTHON' || fail "the summary does not add up: $(cat "$work/s.csv")"
import csv, sys
launches, summary = (list(csv.DictReader(open(path))) for path in sys.argv[1:])
assert len(launches) == 60 and len(summary) == 2, (len(launches), len(summary))
assert abs(sum(float(row["share_pct"]) for row in summary) - 100) < 0.01
first = list(launches[0])
counters = first[first.index("inst"):first.index("host_ms")]
for row in summary:
    mine = [l for l in launches if l["kernel"] == row["kernel"]]
    us = [float(l["est_us"]) for l in mine]
    assert int(row["launches"]) == int(row["completed"]) == len(mine) == 30
    for name, value in (("est_us", sum(us)), ("est_us_min", min(us)), ("est_us_max", max(us)),
                        ("est_us_mean", sum(us) / 30)):
        assert abs(float(row[name]) - value) < 0.05, (name, row[name], value)
    for name in counters:
        assert int(row[name]) == sum(int(l[name]) for l in mine), name
    assert row["ptx_by"] == mine[0]["ptx_by"] != ""
PYTHON
fi
# Tables of more than 40 launches are summaries, and say how to see the launches.
expect 0 profile "$work/many.cu" 30
says out "60 launches, summed up by kernel; --launches shows a row for each of them"
grep -Eq '^  step +30 +[0-9.]+% ' "$work/out" || fail "no row of step: $(cat "$work/out")"
expect 0 profile --launches "$work/many.cu" 30
grep -Eq '^ *59  step +2 ' "$work/out" || fail "no row of the last launch: $(tail -5 "$work/out")"
! grep -q "summed up" "$work/out" || fail "--launches, and a summary"
expect 0 profile "$work/many.cu" 20
! grep -q "summed up" "$work/out" || fail "40 launches are summed up"

# ---- Lines by kernel, by group of equal launches, by launch ---------------------------------------------------------

line=$(grep -n 'tile\[threadIdx.x\] = p' "$work/many.cu" | cut -d: -f1)
of_line() {
    grep "many.cu,$line," "$work/r.csv" | sed 's/^"[^"]*",//; s/,[^,]*many.cu,[0-9]*\(,[0-9]*\).*/\1/' | tr '\n' ';'
}
for lines in --lines --lines=kernel; do
    expect 0 profile $lines --kernel step --format csv -o "$work/r.csv" "$work/many.cu" 5
    [[ "$(of_line)" =~ ^5,([0-9]+)\;$ ]] || fail "$lines: $(of_line)"
done
inst=${BASH_REMATCH[1]}
expect 0 profile --lines=group --kernel step --format csv -o "$work/r.csv" "$work/many.cu" 5
# Grids of 1 and 2 blocks by turns, so 3 and 4 blocks' worth of instructions.
[ "$(of_line)" = "1,(1 1 1),(32 1 1),256,3,$((inst * 3 / 7));3,(2 1 1),(32 1 1),256,2,$((inst * 4 / 7));" ] ||
    fail "groups: $(of_line)"
expect 0 profile --lines=launch --kernel step --skip 1 --count 2 --format csv -o "$work/r.csv" "$work/many.cu" 5
[ "$(of_line)" = "3,(2 1 1),(32 1 1),256,1,$((inst * 2 / 7));5,(1 1 1),(32 1 1),256,1,$((inst / 7));" ] ||
    fail "launches: $(of_line)"
expect 0 profile --lines=launch --kernel step --count 2 "$work/many.cu" 5
says out "step(int*, int), launch 1: grid 1, block 32, 256 bytes of dynamic shared memory"
says out "step(int*, int), launch 3: grid 2, block 32, 256 bytes of dynamic shared memory"

# ---- Tables fit; names and source lines lose nothing that they need not ---------------------------------------------

for columns in "" 100 nonsense -5 20; do
    width=80
    [ "$columns" != 100 ] || width=100
    COLUMNS=$columns expect 0 profile --lines "$work/many.cu" 2
    # The name of a file or of a kernel with its parameters is whole.
    awk -v w=$width 'length($0) > w && !/many.cu$/ && !/launch/' "$work/out" > "$work/wide"
    [ ! -s "$work/wide" ] || fail "COLUMNS='$columns': wider than $width: $(cat "$work/wide")"
    says out "beside all of its"
done
COLUMNS=250 expect 0 profile --lines "$work/many.cu" 2
says out "// a line that is too long to stand beside all of its counters"
says out "ns::a_kernel_with_a_name_that_is_long_enough<int, 3>  "
expect 0 profile --lines -o "$work/table" "$work/many.cu" 2
! grep -q regs "$work/out" || fail "-o, and the report is on stdout as well"
[ -z "$(awk 'length($0) > 160 && !/launch/' "$work/table")" ] || fail "a file's lines are wider than COLUMNS"

# ---- Who made the PTX -----------------------------------------------------------------------------------------------

HALFWARP_HIDE_NVCC=1 expect 0 profile "$work/many.cu" 2
grep -Eq '^  PTX by clang [0-9]+\.[0-9.]+$' "$work/out" || fail "no compiler: $(tail -2 "$work/out")"
HALFWARP_HIDE_NVCC=1 expect 0 profile --format csv "$work/many.cu" 2
grep -Eq ',clang [0-9]+\.[0-9.]+(,[0-9.]+){9},[0-9]*,0,0,0$' "$work/out" || fail "no compiler: $(tail -1 "$work/out")"
if command -v nvcc > "$work/where"; then
    nvcc=$(nvcc --version | sed -n 's/.*, V\([0-9.]*\)$/\1/p')
    expect 0 profile --compiler nvcc --format csv "$work/many.cu" 2
    grep -q ",nvcc $nvcc," "$work/out" || fail "not nvcc $nvcc: $(tail -1 "$work/out")"
    expect 0 profile --compiler nvcc --lines --format json "$work/many.cu" 2
    [ "$(grep -o "\"ptx_by\": \"nvcc $nvcc\"" "$work/out" | wc -l)" = 6 ] || fail "JSON: $(cut -c1-300 "$work/out")"
    # Compiled elsewhere: what nvcc packs names no compiler; the machine code beside it does, else PTX's version tells.
    nvcc -cudart shared -gencode arch=compute_75,code=compute_75 -o "$work/many" "$work/many.cu"
    expect 0 profile "$work/many" 2
    grep -Eq "^  PTX by nvcc of CUDA ${nvcc%.*} \\(by PTX ISA [0-9.]+\\)\$" "$work/out" ||
        fail "elsewhere: $(tail -2 "$work/out")"
    nvcc -cudart shared -gencode arch=compute_80,code=[sm_80,compute_80] -o "$work/many" "$work/many.cu"
    expect 0 profile "$work/many" 2
    says out "  PTX by nvcc $nvcc (by the machine code beside it)"
fi
finish
