# nvcc: several files, object files, libraries, dependency files and relocatable device code, by both compilers; what is
# not understood is refused by name; under make. CMake and Meson: nvcc_cmake.sh, nvcc_meson.sh.
about_nvcc=1
. "$(dirname "$0")/../check.bash"

root=$(cd "$(dirname "$halfwarp")" && pwd)
halfwarp=$root/halfwarp
nvcc=$root/halfwarp-nvcc
routes=clang
command -v nvcc > "$work/where" && routes="clang nvcc"

# Blanks in names are no matter to it.
there="$work/a project"
mkdir "$there"
cat > "$there/scale.h" <<'CUDA'
void scale(float *values, int count, float factor);
extern int launches;
CUDA
cat > "$there/scale.cu" <<'CUDA'
#include "scale.h"
static __device__ int calls;
static __global__ void kernel(float *values, int count, float factor) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) values[i] *= factor;
    if (i == 0) calls++;
}
int launches;
void scale(float *values, int count, float factor) {
    kernel<<<(count + 31) / 32, 32>>>(values, count, factor);
    cudaMemcpyFromSymbol(&launches, calls, sizeof launches);
}
CUDA
cat > "$there/shift.cu" <<'CUDA'
static __device__ int calls;
static __global__ void kernel(float *values, int count, float by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) values[i] += by;
    if (i == 0) calls += 100;
}
void shift(float *values, int count, float by) {
    kernel<<<(count + 31) / 32, 32>>>(values, count, by);
}
CUDA
cat > "$there/main.cpp" <<'CUDA'
#include <cuda_runtime.h>
#include <cstdio>
#include "scale.h"
void shift(float *values, int count, float by);
int main() {
    float host[40], *values;
    for (int i = 0; i < 40; i++) host[i] = i;
    cudaMalloc(&values, sizeof host);
    cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
    scale(values, 40, FACTOR);
    shift(values, 40, 1);
    cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g %g %d\n", host[1], host[39], launches);
    return 0;
}
CUDA
echo 'int main(' > "$there/wrong.cpp"
echo '__global__ void k() { undeclared = 1; }' > "$there/wrong.cu"

# Device code across files: a function, a variable that the host of both writes and reads, and names that each has.
cat > "$there/one.cu" <<'CUDA'
#include <cstdio>
extern __device__ int total;
extern __constant__ int factor;
__device__ int twice(int);
static __device__ int own = 1;
static __global__ void kernel(int *p) { *p = twice(*p) * factor + own; total += 3; }
void other(int *p);
int main() {
    int *p, value = 20, sum = 4, by = 10;
    cudaMalloc(&p, sizeof value);
    cudaMemcpy(p, &value, sizeof value, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(total, &sum, sizeof sum);
    cudaMemcpyToSymbol(factor, &by, sizeof by);
    kernel<<<1, 1>>>(p);
    other(p);
    cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&sum, total, sizeof sum);
    printf("%d %d %s\n", value, sum, cudaGetErrorString(cudaGetLastError()));
}
CUDA
cat > "$there/two.cu" <<'CUDA'
__device__ int total;
__constant__ int factor;
static __device__ int own = 5000;
template <class T> __device__ __noinline__ T add(T a, T b) { return a + b; }
static __global__ void kernel(int *p) { *p = add(*p, own); }
void other(int *p) { kernel<<<1, 1>>>(p); }
CUDA
mkdir -p "$there/some" "$there/other" "$there/third" "$there/fourth"
echo '#define SOME 1' > "$there/some/some.h"
echo '#define OTHER 2' > "$there/other/other.h"
echo '#define THIRD 3' > "$there/third/third.h"
echo '#define FOURTH 4' > "$there/fourth/fourth.h"
echo '#include <cstdio>' > "$there/g.h"
echo '#include <cmath>' > "$there/h.h"
cat > "$there/values.cpp" <<'CUDA'
#include <some.h>
#include <other.h>
#include <third.h>
#include <fourth.h>
#define SECOND(a, b) #a #b
#define STRING(list) SECOND(list)
#if A && D && F
int main(int count, char **) {
    printf("%d %d %s %d %s %d %d %d%d%d%d\n", B, C, TEXT, E, STRING(I), G, H, SOME, OTHER, THIRD, FOURTH);
    return count > 1 ? (int)sqrt((double)count) : 0;
}
#endif
CUDA
echo '__device__ int twice(int x) { return 2 * x; }' > "$there/twice.cu"

cd "$there" || exit 1
for route in $routes; do
    compile=("$nvcc" --halfwarp-compiler=$route)
    # All at once, and one by one.
    expect 0 "${compile[@]}" -std=c++17 -O2 -DFACTOR=2 main.cpp scale.cu shift.cu -o "all at once"
    expect 0 "$halfwarp" run "./all at once"
    # It is compiled: an architecture changes nothing more, other options were for the compiler.
    expect 0 "$halfwarp" run -arch=sm_80 -gencode arch=compute_80,code=sm_80 "./all at once"
    [ "$(grep -c 'is ignored: ./all at once is compiled already' "$work/err")" = 1 ] || fail "$(cat "$work/err")"
    expect 2 "$halfwarp" run -arch=sm_80 -O2 "./all at once"
    if [ $route = clang ]; then
        expect 0 "$halfwarp" profile "./all at once"
        grep -q "PTX by clang [0-9]" "$work/out" || fail "the compiler of a program: $(tail -1 "$work/out")"
    fi
    expect 0 "$halfwarp" run "./all at once"
    says out "3 79 1"
    expect 0 "${compile[@]}" -c -MD -MF scale.d -Xcompiler -Wall,-g -arch=sm_80 scale.cu -o scale.o
    grep -q '^scale.o *:' scale.d || fail "$route: target of the dependency file: $(head -1 scale.d)"
    grep -q 'scale\.h' scale.d || fail "$route: the dependency file has no scale.h"
    if [ $route = clang ]; then   # by headers that are kept since the first program, of which -MMD tells nothing
        expect 0 "${compile[@]}" -c -MMD -MF user.d -DUNUSED scale.cu -o user.o
        grep -q 'scale\.h' user.d && ! grep -q vector_types user.d || fail "-MMD: $(cat user.d)"
    fi
    mkdir -p objects
    expect 0 "${compile[@]}" -DFACTOR=3 --compile main.cpp shift.cu -odir objects \
        -gencode arch=compute_75,code=sm_75 --generate-code=arch=compute_86,code=[sm_86]
    expect 0 "${compile[@]}" scale.o objects/main.o objects/shift.o -lm -o parts
    expect 0 "$halfwarp" run --gpu t4 ./parts
    says out "4 118 1"
    # Libraries. The static runtime is the shared one: no other could be put in its place.
    expect 0 "${compile[@]}" -lib scale.o objects/shift.o -o libparts.a
    expect 0 "${compile[@]}" -cudart static objects/main.o -L. -lparts -o archived
    expect 0 "$halfwarp" run ./archived
    says out "4 118 1"
    expect 0 "${compile[@]}" -shared -Xcompiler=-fPIC shift.cu -o libshared.so
    expect 0 "${compile[@]}" objects/main.o scale.o -o dynamic -L . -lshared -Xlinker -rpath -Xlinker .
    expect 0 "$halfwarp" run ./dynamic
    says out "4 118 1"
    # Options from a file, a language by -x, what the preprocessor says.
    cp scale.cu scale.txt
    printf -- "-DFACTOR=9 '-DNAME=\"a name\"'\n  main.cpp" > options
    expect 0 "${compile[@]}" --options-file options -c -o main.o
    expect 0 "${compile[@]}" -c shift.cu
    expect 0 "${compile[@]}" -c -x cu scale.txt -o text.o
    expect 0 "${compile[@]}" main.o shift.o text.o -o renamed
    expect 0 "$halfwarp" run ./renamed
    says out "10 352 1"
    expect 0 "${compile[@]}" -M scale.cu -o rule
    grep -q 'scale\.h' rule || fail "$route: -M: $(head -3 rule)"
    expect 0 "${compile[@]}" -E scale.cu
    says out "int launches;"
    expect 0 "${compile[@]}" -ptx -arch=compute_75 scale.cu -o scale.ptx
    grep -q '^\.target sm_75' scale.ptx || fail "$route: -ptx: $(head -20 scale.ptx)"
    # Relocatable device code, linked in one step and in three; from a library what is needed of it.
    expect 0 "${compile[@]}" -rdc=true one.cu two.cu twice.cu -o linked
    if [ $route = clang ]; then
        expect 0 "$halfwarp" profile ./linked
        grep -q "PTX by clang [0-9]" "$work/out" || fail "the compiler of a linked program: $(tail -1 "$work/out")"
    fi
    expect 0 "$halfwarp" run ./linked
    says out "5401 7 no error"
    expect 0 "${compile[@]}" -dc -gencode arch=compute_75,code=compute_75 one.cu two.cu twice.cu
    expect 0 "${compile[@]}" -lib twice.o two.o -o libdevice.a
    expect 0 "${compile[@]}" -dlink -gencode arch=compute_75,code=compute_75 one.o libdevice.a -o dlink.o
    expect 0 "${compile[@]}" -gencode arch=compute_75,code=compute_75 one.o libdevice.a -rdc=true -o linked
    expect 0 "$halfwarp" run ./linked
    says out "5401 7 no error"
    expect 0 "$halfwarp" occupancy ./linked
    says out kernel
    # PTX into a fat binary, which is read again; both of a .cu file for several architectures.
    expect 0 "${compile[@]}" -fatbin scale.ptx -o ptx.fatbin
    expect 0 "$halfwarp" ptx ptx.fatbin
    # nvcc packs it without comments and blanks at the beginning of lines.
    for text in scale.ptx "$work/out"; do
        sed -E 's/^[[:blank:]]+//; s/[[:blank:]]+/ /g; /^(\/\/.*)?$/d' "$text" > "$text.bare"
    done
    diff scale.ptx.bare "$work/out.bare" > "$work/changes" || fail "$route: out of a fat binary: $(cat "$work/changes")"
    [ $route = nvcc ] || cmp -s scale.ptx "$work/out" || fail "not the same text: $(diff scale.ptx "$work/out")"
    expect 0 "${compile[@]}" -fatbin -gencode arch=compute_75,code=[sm_75,compute_75] \
        -gencode=arch=compute_80,code=compute_80 scale.cu
    expect 0 "$halfwarp" ptx --gpu t4 scale.fatbin
    says out ".target sm_75"
    expect 0 "$halfwarp" ptx --gpu h200 scale.fatbin
    says out ".target sm_80"
    expect 0 "$halfwarp" occupancy --gpu h200 scale.fatbin
    says out kernel
    # In place of machine code, under its name.
    expect 0 "${compile[@]}" -cubin -gencode=arch=compute_80,code=sm_80 -odir objects shift.cu
    mv objects/shift.cubin shift.fatbin
    expect 0 "$halfwarp" ptx --gpu h200 shift.fatbin
    says out ".target sm_80"
    expect 0 "${compile[@]}" -cubin -arch=sm_75 scale.ptx -o shift.fatbin
    expect 0 "$halfwarp" occupancy --gpu h200 shift.fatbin
    # And into an object file, of whose functions other files make use.
    expect 0 "${compile[@]}" -ptx -rdc=true -arch=compute_75 twice.cu -o function.ptx
    expect 0 "${compile[@]}" -dc -arch=compute_75 function.ptx -o function.o
    expect 0 "${compile[@]}" -rdc=true -arch=compute_75 one.o two.o function.o -o with_ptx
    expect 0 "$halfwarp" run ./with_ptx
    says out "5401 7 no error"
    # Lists, as nvcc takes them, and its ways of writing a value.
    expect 0 "${compile[@]}" -DA,B=2 -D 'C=3,TEXT="x,y"' --define-macro=D,E=5 -D=F values.cpp -UJ,K -DJ,I=a\\,b \
        -I some,other --include-path=third --include-path fourth -include g.h,h.h \
        -Xcompiler -Wall,-DG=7 -Xcompiler=-DH=8 -O 2 -l m,dl -L lists,objects -Xlinker -rpath,. --output-file=listed
    expect 0 ./listed
    says out "2 3 x,y 5 ab 7 8 1234"
    expect 0 "${compile[@]}" -O=2 --std=c++17 -c scale.cu --output-file listed.o
    [ -s listed.o ] || fail "$route: --output-file FILE"
    # What does not compile or link leaves nothing behind.
    for wrong in wrong.cu wrong.cpp; do
        rm -f wrong.o
        "${compile[@]}" -c $wrong > "$work/out" 2> "$work/err" && fail "$route: $wrong compiles"
        says err "$wrong"
        [ ! -e wrong.o ] || fail "$route: $wrong left an object file"
    done
    "${compile[@]}" -rdc=true -arch=compute_75 one.o twice.o -o missing > "$work/out" 2> "$work/err" &&
        fail "$route: links without two.cu"
    says err total
    rm -f ./*.o ./*.a ./*.so objects/*
done

compile=("$nvcc" --halfwarp-compiler=clang)
sed 's/^\.target sm_75/.target sm_90/' scale.ptx > newer.ptx
echo "no code" > text.ptx
expect 3 "${compile[@]}" -c wrong.cu
says err "wrong.cu: does not compile"
expect 2 "${compile[@]}" -c absent.cu
refuses "cannot read absent.cu"
refuses_rows "${compile[@]}" <<'ROWS'
-zork main.cpp|there is no option -zork
-cubin -gencode arch=compute_75,code=sm_75 -gencode arch=compute_80,code=sm_80 scale.cu|-cubin is for one architecture
-optix-ir scale.cu|-optix-ir is not supported
-c scale.ptx|scale.ptx is PTX, which goes with -fatbin and -dc alone
scale.ptx -o program|scale.ptx is PTX, which goes with -fatbin and -dc alone
-ptx scale.ptx|scale.ptx is PTX
-E scale.ptx|scale.ptx is PTX
-lib scale.ptx|scale.ptx is PTX
-dlink scale.ptx|takes object files, and scale.ptx is none; -dc makes one of it
-cubin text.ptx|text.ptx is no PTX
-fatbin scale.cubin|scale.cubin is device code that is made already
-fatbin absent.ptx|cannot read absent.ptx
-fatbin newer.ptx|newer.ptx is for sm_90, which is newer than compute_75: -arch=sm_90 takes it
-fatbin text.ptx|text.ptx is no PTX
scale.zork|what is scale.zork
-rdc=maybe scale.cu|true or false
-arch=sm_x scale.cu|sm_x
-gencode code=sm_80 scale.cu|arch=compute_80
-cudart dynamic scale.cu|none, shared or static
-Werror none scale.cu|all-warnings
-o|takes a value
-c -o x.o scale.cu shift.cu|-o names one file
--options-file none scale.cu|cannot read none
|which file
ROWS
echo "--options-file again" > again
expect 2 "${compile[@]}" --options-file again scale.cu
refuses "names itself"
# What is ignored is said once; what only the C++ compiler knows is handed on where that is asked for.
expect 0 "${compile[@]}" -keep -keep --keep-dir x -t 4 -c -forward-unknown-to-host-compiler --param=ssp-buffer-size=4 \
    -Xptxas -v main.cpp -DFACTOR=1
[ "$(grep -c 'keep is ignored' "$work/err")" = 1 ] || fail "-keep: $(cat "$work/err")"
expect 0 "${compile[@]}" -ptx -arch=sm_999 scale.cu -o newest.ptx
says err "has no compute_999"
expect 0 "${compile[@]}" -c -gencode arch=compute_999,code=sm_999 -arch=sm_998 scale.cu shift.cu
[ "$(grep -c 'has no compute_' "$work/err")" = 1 ] || fail "-arch=sm_999: $(cat "$work/err")"
expect 2 "${compile[@]}" -ccbin no-such-compiler -c main.cpp
refuses "no-such-compiler"
# -v and --dryrun show the commands, --dryrun does nothing.
rm -f main.o scale.o
expect 0 "${compile[@]}" --dryrun -c main.cpp scale.cu
says err '#$ '
says err '--cuda-device-only'
[ ! -e main.o ] && [ ! -e scale.o ] || fail "--dryrun did something"
NVCC_PREPEND_FLAGS=-DFACTOR=5 NVCC_APPEND_FLAGS='-o "prepended x"' expect 0 "${compile[@]}" main.cpp scale.cu shift.o
expect 0 "$halfwarp" run "./prepended x"
says out "6 196 1"
expect 0 "${compile[@]}" -MM scale.cu
says out "scale.h"
expect 0 "${compile[@]}" -fatbin -arch=sm_75 scale.cu -o scale.fatbin
[ -s scale.fatbin ] || fail "-fatbin made nothing"
expect 0 "${compile[@]}" -run main.cpp scale.cu shift.o -DFACTOR=4 -o made
says out "5 157 1"
expect 0 "${compile[@]}" -run '"./all at once"'
says out "3 79 1"
# Nothing stays in the folder for temporary files.
mkdir "$work/tmp"
TMPDIR=$work/tmp expect 0 "${compile[@]}" -c scale.cu
TMPDIR=$work/tmp expect 3 "${compile[@]}" -c wrong.cu
[ -z "$(ls "$work/tmp")" ] || fail "left behind: $(ls "$work/tmp")"
# Nor when a signal ends it.
TMPDIR=$work/tmp "${compile[@]}" -c scale.cu -o stopped.o 2> "$work/err" &
waiting=$!
for ((i = 0; i < 200; i++)); do
    [ -z "$(ls "$work/tmp")" ] || break
    sleep 0.02
done
kill -TERM $waiting
wait $waiting
[ $? = 143 ] || fail "SIGTERM: $(cat "$work/err")"
[ -z "$(ls "$work/tmp")" ] && [ ! -e stopped.o ] || fail "left behind by SIGTERM: $(ls "$work/tmp") stopped.o"

# In make, as Makefiles for nvcc are written.
cat > Makefile <<'MAKE'
NVCC ?= nvcc
CUDA_PATH ?= /usr/local/cuda
NVCCFLAGS = -O2 -std=c++17 -gencode arch=compute_80,code=sm_80 -Xcompiler -Wall
program: main.o scale.o shift.o
	g++ -o $@ $^ -L$(CUDA_PATH)/lib64 -lcuda -lcudart_static -ldl -lrt -lpthread
%.o: %.cu
	$(NVCC) $(NVCCFLAGS) -MMD -c $< -o $@
%.o: %.cpp
	g++ -I$(CUDA_PATH)/include -DFACTOR=2 -c $< -o $@
-include scale.d
MAKE
if command -v make > "$work/where"; then
    export HALFWARP_HIDE_NVCC=1
    expect 0 make NVCC="$nvcc" CUDA_PATH="$root/cuda"
    expect 0 "$halfwarp" run ./program
    says out "3 79 1"
    touch -d '+2 seconds' scale.h
    expect 0 make -n NVCC="$nvcc" CUDA_PATH="$root/cuda"
    says out "-c scale.cu"
    unset HALFWARP_HIDE_NVCC
fi

# What nvcc takes of older programs, clang takes as well: <time.h> comes with the runtime's header, and "register" is a
# word that C++17 has no more.
cat > older.cu <<'CUDA'
__global__ void add(int *sum) {
    register int one = 1;
    atomicAdd(sum, one);
}
int main() {
    register int seed = (int)time(0);
    int *sum, back = 0;
    cudaMalloc(&sum, sizeof back);
    cudaMemcpy(sum, &back, sizeof back, cudaMemcpyHostToDevice);
    add<<<1, 32>>>(sum);
    cudaMemcpy(&back, sum, sizeof back, cudaMemcpyDeviceToHost);
    return back == 32 && seed ? 0 : 1;
}
CUDA
for route in $routes; do
    expect 0 "$nvcc" --halfwarp-compiler="$route" -w -o older older.cu
    expect 0 "$halfwarp" run ./older
done
finish
