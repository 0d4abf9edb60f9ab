# check finds accesses that leave a member of a struct or one of a function's variables, where nvcc tells them (-G), and
# nothing in the right twins, nor in what goes over members by intent.
about_nvcc=1
. "$(dirname "$0")/../check.bash"
command -v python3 > "$work/where" || exit 77
here=$(dirname "$0")
source=$here/../../check/parts.cu

# As in check_hazards.sh.
cat > "$work/table" << 'ROWS'
before_member|bounds||
behind_member|bounds||
of_global|bounds||
of_constant|bounds||
of_pointer|bounds||
of_element|bounds||
of_no_element|bounds||
of_array|bounds||
of_inner_array|bounds||
of_matrix|bounds||
of_derived|bounds||
behind_union|bounds||
local_neighbour|bounds||
local_member|bounds||
ROWS

for compiler in nvcc; do
    command -v $compiler > "$work/where" || exit 77
    for options in -G; do
        check() { "$halfwarp" check --compiler $compiler $options "$@"; }
        expect 0 check "$source" clean
        [ "$(cat "$work/out")" = done ] || fail "$compiler $options, clean: $(head -c 3000 "$work/out")"
        expect 1 check --format json -o "$work/found.json" "$source" racy
        python3 "$here/check_hazards.py" "$work/table" "$work/found.json" "$here/../../check" ||
            fail "$compiler $options: hazards"
    done
done
expect 1 check "$source" racy
says out "4 bytes before the beginning of 64 bytes of second in the variable before_member<false>(int*)::s"
says out "which is byte 76 of 352 of the variable before_member<false>(int*)::s"
says out "right behind the end of 64 bytes of second, allocated at"
says out "right behind the end of 16 bytes of rows[].v in the variable"
says out "right behind the end of 64 bytes of __b_10other_base and z in the variable"
says out "380 bytes behind the end of 65536 bytes, allocated at"
says out "4 bytes before the beginning of 64 bytes of two in local memory"
grep -q "of rows\[\].v in the variable" "$work/found.json" || fail "no part in JSON"
finish
