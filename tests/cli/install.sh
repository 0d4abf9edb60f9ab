# An installed halfwarp finds its libraries and headers beside itself, wherever that is.
. "$(dirname "$0")/check.bash"
command -v cmake > "$work/where" || exit 77

cmake --install "$(dirname "$halfwarp")" --prefix "$work/first" > "$work/log" 2>&1 || fail "install: $(tail -3 "$work/log")"
mv "$work/first" "$work/moved"
for file in bin/halfwarp lib/halfwarp/libcudart.so.12 lib/halfwarp/libcudart.so share/halfwarp/include/cuda/cuda_runtime.h; do
    [ -e "$work/moved/$file" ] || fail "$file is not installed"
done
export HALFWARP_HIDE_NVCC=1 HALFWARP_CACHE=$work/cache
expect 0 "$work/moved/bin/halfwarp" run examples/transpose.cu 40
says out "all right"
ln -s "$work/moved/bin/halfwarp" "$work/link"
expect 0 "$work/link" profile examples/transpose.cu 40
says out "transpose_padded"
rm -r "$work/moved/share"
expect 2 "$work/moved/bin/halfwarp" run examples/transpose.cu 40
says err "no CUDA headers"
finish
