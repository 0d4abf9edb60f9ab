# Peers of `halfwarp bench` that call NVIDIA's libraries, with stand-ins for these on the processor: their answers, and
# that they call a library again and again from C, as Halfwarp is called. Times are no test.
. "$(dirname "$0")/../check.bash"

command -v python3 > "$work/where" || { echo "no python3 for the peers"; exit 77; }
compiler=$(command -v cc || command -v clang) || { echo "no C compiler"; exit 77; }
build() { expect 0 "$compiler" -shared -fPIC -O2 "${@:2}" tests/cli/operations/peer_stand_ins.c -o "$work/$1"; }
build libcuda.so.1
# Where NVIDIA's Python packages have it, which is looked at first.
cublas=nvidia/cublas/lib
mkdir -p "$work/$cublas"
build $cublas/libcublas.so.13 -DCUBLAS
cp "$work/$cublas/libcublas.so.13" "$work/$cublas/libcublasLt.so.13"
python=$(python3 -c 'import sys; print(sys.executable)')

# asks PEER CONDITION <<< CASE: the Python expression holds of its answer.
asks() {
    LD_LIBRARY_PATH=$work PYTHONPATH=$work PATH=${path:-$PATH} "$python" -B "bench/peers/$1" cuda:0 \
        > "$work/out" 2> "$work/err"
    python3 -c '
import json, sys
hello, answer = map(json.loads, sys.stdin)
assert hello["version"] == "130000", hello
assert eval(sys.argv[1]), answer' "$2" < "$work/out" 2>> "$work/err" ||
        fail "$1: $2: $(head -c 300 "$work/out") $(tail -c 600 "$work/err")"
}
right='len(answer["ns"]) >= 5 and min(answer["ns"]) > 0'
product='"dtype": "f32", "precision": "fp32", "layout": "nn", "m": 30, "n": 20, "k": 10, "seconds": 0.001'
asks matmul_cublas.py "$right and answer['called'] == 'C loop' and 0 <= answer['error'] < 1e-6" \
    <<< "{\"batch\": 1, $product}"
asks matmul_cublas.py "$right and answer['called'] == 'C loop' and 0 <= answer['error'] < 1e-6" \
    <<< "{\"batch\": 3, $product}"
asks matmul_cublas.py 'answer == {"skip": "gemm returned 7"}' \
    <<< "{\"batch\": 1, ${product/nn/tn}}"
matrix='"dtype": "f32", "shape": [33, 65], "axes": [1, 0], "in_place": false, "seconds": 0.001'
asks transpose_cublas.py "$right and answer['called'] == 'C loop' and answer['error'] is None" <<< "{$matrix}"

# Without a C compiler the calls come from Python, and the answer says so.
mkdir "$work/empty"
path=$work/empty
asks transpose_cublas.py "$right and answer['called'] == 'Python'" <<< "{$matrix}"
asks matmul_cublas.py "$right and answer['called'] == 'Python'" <<< "{\"batch\": 3, $product}"
finish
