# examples/cmake: a CMake project with halfwarp-nvcc as CMAKE_CUDA_COMPILER, by clang and, where it is, by the real
# nvcc; its CTest tests under `halfwarp run`, each a process of its own.
. "$(dirname "$0")/../check.bash"
command -v cmake > "$work/where" || exit 77
command -v ctest > "$work/where" || exit 77

root=$(cd "$(dirname "$halfwarp")" && pwd)
halfwarp=$root/halfwarp
routes=clang
command -v nvcc > "$work/where" && routes="clang nvcc"

for route in $routes; do
    HALFWARP_HIDE_NVCC=
    [ $route = nvcc ] || HALFWARP_HIDE_NVCC=1
    export HALFWARP_HIDE_NVCC
    build="$work/$route build"
    expect 0 cmake -S examples/cmake -B "$build" -DCMAKE_CUDA_COMPILER="$root/halfwarp-nvcc"
    says out "CUDA compiler identification is NVIDIA"
    expect 0 cmake --build "$build"
    expect 0 "$halfwarp" run "$build/histogram" 5000
    says out "5000 values in 16 bins, all right"
    expect 0 "$halfwarp" run --gpu t4 ctest --test-dir "$build" --output-on-failure
    says out "100% tests passed, 0 tests failed out of 3"
    # What the tests launch is counted too.
    expect 0 "$halfwarp" profile --format csv -o "$work/launches.csv" ctest --test-dir "$build"
    [ "$(grep -c count_kernel "$work/launches.csv")" = 2 ] || fail "$route: launches: $(cat "$work/launches.csv")"
    # Nothing is built twice, and what includes a header is built again with it.
    touch -d '+5 seconds' "$build/histogram" "$build"/*.a
    expect 0 cmake --build "$build"
    ! grep -q Building "$work/out" || fail "$route: built twice: $(cat "$work/out")"
done

# A project that asks for the toolkit finds its libraries, the static ones too.
mkdir "$work/finds"
cat > "$work/finds/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(finds LANGUAGES CXX CUDA)
find_package(CUDAToolkit REQUIRED)
add_executable(one one.cpp)
target_link_libraries(one PRIVATE CUDA::cudart)
add_executable(two one.cu)
set_target_properties(two PROPERTIES CUDA_RUNTIME_LIBRARY Static CUDA_ARCHITECTURES "75;86-real")
CMAKE
cat > "$work/finds/one.cpp" <<'CUDA'
#include <cuda_runtime.h>
#include <cstdio>
int main() {
    int count = 0;
    int error = cudaGetDeviceCount(&count);
    printf("%d %d\n", error, count);
}
CUDA
cp "$work/finds/one.cpp" "$work/finds/one.cu"
export HALFWARP_HIDE_NVCC=1
expect 0 cmake -S "$work/finds" -B "$work/finds/build" -DCMAKE_CUDA_COMPILER="$root/cuda/bin/nvcc"
expect 0 cmake --build "$work/finds/build"
for program in one two; do
    expect 0 "$halfwarp" run "$work/finds/build/$program"
    says out "0 1"
done
finish
