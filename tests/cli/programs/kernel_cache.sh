# Kernels that one build tree has compiled are found in the cache by another of the same sources.
. "$(dirname "$0")/../check.bash"

library=$(ldd "$halfwarp" | awk '/libhalfwarp/ { print $3 }')
HALFWARP_CACHE=$work/cache
kernels() { find "$work/cache" -name '*.code' | wc -l; }
# in_tree NAME: a ladder by the halfwarp of a tree whose headers are a link to those here.
in_tree() {
    mkdir -p "$work/$1/lib" "$work/$1/include"
    cp "$halfwarp" "$work/$1/halfwarp"
    cp "$library" "$work/$1/lib/libhalfwarp.so.0"
    ln -s "$PWD/include/cuda" "$work/$1/include/cuda"
    # Blocks that no kernel on record is for.
    expect 0 "$work/$1/halfwarp" ladder transpose --device sim:h200 --rung any_block --block 8x4 --size 33x17
}
in_tree first
[ "$(kernels)" -gt 0 ] || fail "the cache has no kernel"
before=$(kernels)
in_tree second
[ "$(kernels)" = "$before" ] || fail "$(kernels) kernels, of which $before were there"
finish
