# What the driver answers where its reference leaves it open: captures, virtual memory, memory between processes, as an
# H200 answered (tests/shim/driver_answers.h200.txt). Questions that are answered in another way here are named below,
# with what is other; of these no answer is compared.
. "$(dirname "$0")/../check.bash"
tests=$(cd "$(dirname "$0")/../.." && pwd)
lib=$(cd "$(dirname "$halfwarp")/lib" && pwd)
cc=$(command -v cc || command -v gcc || command -v clang) || exit 77

other='
things_destroyed_in_capture a stream that is captured tells its number
bad_capture_arguments a mode that is none is refused
allocation_nodes graphs with memory can be copied, and used memory is counted to the byte
granularity of memory that there is not
reservations addresses behind a reservation that were never reserved are not freed
kernel_writes_what_it_may_read memory that is only read is refused
access_rights memory that is only read is refused
pointer_attributes_of_mappings a mapping has attributes when it has access
exports a file descriptor that is none is an invalid value, and not an unknown error
pools pools have no accounts of their own
pool_misuse none of nothing
ipc_by_itself memory of a pool has a name for other processes
graph_in_itself refused, where the driver crashes
node_destroyed_twice refused, where the driver crashes
'
"$cc" -I "$tests/../include/cuda" -o "$work/answers" "$tests/shim/driver_answers.c" "$lib/driver/libcuda.so.1" \
    -Wl,-rpath-link,"$lib" || exit 1
"$halfwarp" run "$work/answers" >"$work/ours" 2>"$work/said"
# The answers to a question: what stands indented below its name.
answers() { awk -v name="$2" '/^[^ ]/ { is_its = $0 == name } is_its' "$1"; }
compared=0
while read -r name; do
    case $other in *"
$name "*) continue ;; esac
    compared=$((compared + 1))
    answers "$work/ours" "$name" >"$work/a"
    answers "$tests/shim/driver_answers.h200.txt" "$name" >"$work/b"
    cmp -s "$work/a" "$work/b" || fail "$name: $(diff "$work/a" "$work/b")"
done < <(grep '^[^ ]' "$tests/shim/driver_answers.h200.txt")
[ "$compared" -ge 30 ] || fail "only $compared questions were compared"
finish
