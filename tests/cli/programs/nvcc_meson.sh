# Meson with halfwarp-nvcc as its CUDA compiler, from a native file.
. "$(dirname "$0")/../check.bash"
command -v meson > "$work/where" || exit 77
command -v ninja > "$work/where" || exit 77

root=$(cd "$(dirname "$halfwarp")" && pwd)
halfwarp=$root/halfwarp
export HALFWARP_HIDE_NVCC=1
cp examples/cmake/*.cu examples/cmake/*.h examples/cmake/main.cpp "$work"
cat > "$work/meson.build" <<'MESON'
project('histogram', 'cpp', 'cuda', default_options: ['cpp_std=c++17', 'cuda_std=c++17'])
executable('histogram', 'main.cpp', 'count.cu', 'bins.cu', cuda_args: ['-rdc=true'],
    dependencies: dependency('cuda', modules: ['cudart']))
MESON
cat > "$work/native.ini" <<INI
[binaries]
cuda = '$root/halfwarp-nvcc'
INI
export CUDA_PATH=$root/cuda
# Meson runs what it compiles for a test, by -run.
expect 0 meson setup --native-file "$work/native.ini" "$work/build" "$work"
expect 0 meson compile -C "$work/build"
expect 0 "$halfwarp" run "$work/build/histogram" 3000
says out "3000 values in 16 bins, all right"
finish
