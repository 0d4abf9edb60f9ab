# What calls nvcc on PATH again, as ccache's does, is no real nvcc: `halfwarp nvcc` neither calls itself without end
# through it, nor under another name of its own.
. "$(dirname "$0")/../check.bash"
command -v clang > /dev/null || exit 77
hide_nvcc
root=$(cd "$(dirname "$halfwarp")" && pwd)
printf '__global__ void kernel(int *p) { *p = 1; }\n' > "$work/one.cu"
cd "$work" || exit 1
mkdir next named toolkit
# The next nvcc on PATH that is not itself.
cat > next/nvcc <<'WRAPPER'
#!/bin/bash
IFS=:
for folder in $PATH; do
    [ ! -x "$folder/nvcc" ] || [ "$folder/nvcc" -ef "$0" ] || exec "$folder/nvcc" "$@"
done
echo "no nvcc but this one" >&2
exit 1
WRAPPER
# Whatever NVCC says, which is what `halfwarp run` tells programs.
printf '#!/bin/bash\nexec "$NVCC" "$@"\n' > named/nvcc
chmod +x next/nvcc named/nvcc
export NVCC=$root/cuda/bin/nvcc

PATH=$root/cuda/bin:$work/next:$PATH expect 0 timeout 30 nvcc -c one.cu
says err "no nvcc but this one; clang does its work"
PATH=$root/cuda/bin:$work/named:$PATH expect 0 timeout 30 nvcc -c one.cu
says err "$work/named/nvcc, taken for NVIDIA's nvcc, calls halfwarp nvcc again"
PATH=$root/cuda/bin:$work/named:$PATH expect 2 timeout 30 nvcc --halfwarp-compiler=nvcc -c one.cu
refuses "calls halfwarp nvcc again"

# A copy that is not called halfwarp.
cp "$halfwarp" toolkit/halfwarp-9
ln -s halfwarp-9 toolkit/nvcc
ln -s "$root/cuda" "$root/lib" "$root/include" toolkit/
PATH=$work/toolkit:$PATH expect 0 timeout 30 nvcc -c one.cu
silent err
finish
