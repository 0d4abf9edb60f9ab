# An installed Halfwarp works wherever it lies: the program finds its libraries and headers beside itself, and users
# build against the library with pkg-config and with CMake.
case ${TMPDIR-} in *' '*) unset TMPDIR ;; esac   # what pkg-config says is put into command lines as it is
. "$(dirname "$0")/../check.bash"
command -v cmake > "$work/where" || exit 77

build=$(cd "$(dirname "$halfwarp")" && pwd)
cmake --install "$build" --prefix "$work/first" > "$work/log" 2>&1 || fail "install: $(tail -3 "$work/log")"
# A folder that the loader does not look through has to be named by whoever links to it.
grep -q -- "-rpath,$work/first/lib" "$work/log" || fail "nothing about the loader: $(tail -1 "$work/log")"
mv "$work/first" "$work/moved"
there=$work/moved
# Staged for a package: the same files, below DESTDIR, and nothing is done to this machine.
DESTDIR=$work/stage cmake --install "$build" --prefix /usr/local > "$work/log" 2>&1 ||
    fail "DESTDIR: $(tail -3 "$work/log")"
grep -q ldconfig "$work/log" && fail "a staged installation speaks of ldconfig: $(tail -1 "$work/log")"
diff <(cd "$there" && find . | sort) <(cd "$work/stage/usr/local" && find . | sort) > "$work/differences" ||
    fail "DESTDIR: $(head -3 "$work/differences")"
rm -r "$work/stage"
# Every file is in one of Debian's packages (debian/*.install), which are of this version.
sed 's/[.*]/\\&/g; s/\\\*/.*/g; s,^,^,; s,$,(/|$),' debian/*.install > "$work/packaged"
(cd "$there" && find . ! -type d | sed 's,^\.,usr,' | grep -vEf "$work/packaged") > "$work/left"
[ -s "$work/left" ] && fail "in no Debian package: $(head -3 "$work/left")"
expect 0 "$halfwarp" --version
[ "$(sed -n '1s/halfwarp (\(.*\)).*/halfwarp \1/p' debian/changelog)" = "$(cat "$work/out")" ] ||
    fail "debian/changelog is of another version"
for file in bin/halfwarp lib/halfwarp/libcudart.so.12 lib/halfwarp/libcudart.so lib/halfwarp/driver/libcuda.so.1 \
    share/halfwarp/include/cuda/cuda_runtime.h include/halfwarp.h include/halfwarp/status.h include/halfwarp/sim.h \
    lib/libhalfwarp.so lib/libhalfwarp.so.0 lib/libhalfwarp.a lib/pkgconfig/halfwarp.pc \
    lib/cmake/Halfwarp/HalfwarpConfig.cmake \
    share/halfwarp/bench/cases/transpose.txt share/halfwarp/bench/peers/peer.py share/man/man1/halfwarp.1 \
    share/man/man3/hw_transpose.3 share/man/man3/hw_matmul.3 share/man/man3/hw_simulator.3 \
    share/man/man1/halfwarp-nearest.1 \
    share/man/man7/halfwarp-columns.7 lib/halfwarp/cuda/lib64/libcuda.so lib/halfwarp/cuda/lib64/stubs/libcuda.so \
    share/halfwarp/bench/cases/reduce.txt share/halfwarp/bench/peers/reduce_cub.cu \
    share/doc/halfwarp/README.md share/doc/halfwarp/LICENSE share/doc/halfwarp/examples/transpose.cu; do
    [ -e "$there/$file" ] || fail "$file is not installed"
done

# Debug information and this machine's paths stay in the build tree; the core is installed once, beside the archive.
if ! grep -q '^CMAKE_BUILD_TYPE:[A-Z]*=Debug' "$build/CMakeCache.txt"; then
    [ "$(du -sm "$there" | cut -f1)" -le 30 ] || fail "$(du -sm "$there" | cut -f1) MB are installed"
    find "$there" -type f \( -name '*.so*' -o -path '*/bin/*' \) | while read -r file; do
        readelf -SW "$file" | grep -q '\.debug_' && echo "$file has debug information"
    done > "$work/unstripped"
    [ ! -s "$work/unstripped" ] || fail "$(cat "$work/unstripped")"
    # Where paths of sources would be: what asserts say. The folders that CMake was given are no shorter than /a/b.
    source=$(sed -n 's/^halfwarp_SOURCE_DIR:STATIC=//p' "$build/CMakeCache.txt")
    grep -rlF -- "$source/" "$there" > "$work/paths"
    [ ! -s "$work/paths" ] || fail "files with the sources' folder in them: $(cat "$work/paths")"
fi
readelf -d "$there/bin/halfwarp" "$there"/lib/halfwarp/*.so.* | grep -E '\((RPATH|RUNPATH)\)' |
    grep -vE '\[(\$ORIGIN[^:]*)(:\$ORIGIN[^:]*)*\]$' > "$work/rpaths"
[ ! -s "$work/rpaths" ] || fail "not relative: $(cat "$work/rpaths")"

# Whatever texts refer to is installed. What users read names docs/, examples/ and kernels/, which are in
# share/doc/halfwarp, and no other folder of the sources; capitals stand for names.
documents=$there/share/doc/halfwarp
folders='docs|examples|kernels|tests|src|tools|cmake|bench|shim|cli'
for command in '' $("$halfwarp" --help | sed -nE 's/^  ([a-z]+(, [a-z]+)*)(:| +[a-z]).*/\1/p' | tr -d ,); do
    "$there/bin/halfwarp" $command --help
done > "$work/help"
[ "$(grep -c '^usage:' "$work/help")" -ge 12 ] || fail "--help of the commands"
strings -n 6 "$there/bin/halfwarp" "$there"/lib/halfwarp/*.so.* > "$work/strings"
cat "$work/help" "$work/strings" "$there"/share/man/man?/* "$there"/include/halfwarp.h "$there"/include/halfwarp/* |
    grep -oE "(share/halfwarp/)?\b($folders)/[A-Za-z0-9_.-]+[A-Za-z0-9_./-]*" > "$work/named"
grep -d skip -ohE '\b(docs|examples)/[A-Za-z0-9_.-]+' \
    "$documents"/README.md "$documents"/docs/*.md "$documents"/examples/* \
    >> "$work/named"
grep -q '^docs/' "$work/named" || fail "no text refers to a document"
sed -E 's/[.]+$//' "$work/named" | sort -u | while read -r name; do
    case $name in
        kernels/[A-Z]*) ;;
        share/*) [ -e "$there/$name" ] || echo "$name" ;;
        *) [ -e "$documents/$name" ] || echo "$name" ;;
    esac
done > "$work/missing"
[ ! -s "$work/missing" ] || fail "named and not installed: $(cat "$work/missing")"

# What the library promises is what the headers do; what else it has for the parts of this release says so. The symbols
# of the runtime look-alikes are CUDA's.
sed -n 's/^HW_API .*[ *]\(hw_[a-z0-9_]*\)(.*/\1/p' include/halfwarp.h include/halfwarp/sim.h | sort > "$work/promised"
nm -D --defined-only "$there/lib/libhalfwarp.so" | awk '$2 != "A" {print $3}' | sort > "$work/exported"
sed -n 's/@@HALFWARP_0$//p' "$work/exported" > "$work/public"
cmp "$work/promised" "$work/public" || fail "exports: $(diff "$work/promised" "$work/public")"
grep -qv '^hw_[a-z0-9_]*@@HALFWARP_\(0\|PRIVATE_[0-9.]*\)$' "$work/exported" &&
    fail "exports: $(grep -v '@@HALFWARP_' "$work/exported" | head -3)"
for release in 11.0 12 13; do
    nm -D --defined-only "$there/lib/halfwarp/libcudart.so.$release" > "$work/exported"
    grep -q ' hw_' "$work/exported" && fail "libcudart.so.$release exports $(grep -m 1 ' hw_' "$work/exported")"
done
readelf -d "$there/lib/libhalfwarp.so" | grep -q 'SONAME.*\[libhalfwarp.so.0\]' || fail "the library's soname"

# The headers are C++ as well, and the simulator's needs no other package's.
for header in halfwarp/sim.h halfwarp/status.h; do
    printf '#include <%s>\nint main() { return HW_OK; }\n' $header > "$work/user.cc"
    ! command -v c++ > "$work/where" ||
        expect 0 c++ -std=c++11 -Wall -Wextra -Werror -I"$there/include" -fsyntax-only "$work/user.cc"
done

# A user's program, by pkg-config, shared and static, and by CMake.
program=$PWD/examples/transpose_array.c
export LD_LIBRARY_PATH=$there/lib PKG_CONFIG_PATH=$there/lib/pkgconfig
if command -v pkg-config > "$work/where"; then
    expect 0 cc "$program" -o "$work/user" $(pkg-config --cflags --libs halfwarp)
    expect 0 "$work/user" cpu 300 517
    says out "300 x 517 floats transposed"
    silent err
    expect 1 "$work/user" warp9
    says err "warp9"
    expect 0 cc -Wall -Wextra -Werror examples/operations.c -o "$work/operations" $(pkg-config --cflags --libs halfwarp)
    expect 0 "$work/operations" cpu
    says out "product: 10 11"
    says out "summed down: 14 16"
    says out "nearest to point 3: point 1"
    expect 0 cc -Wall -Wextra -Werror examples/sim.c -o "$work/sim" $(pkg-config --cflags --libs halfwarp)
    expect 0 "$work/sim"
    says out "launch 0: copy, 4.0 sectors a load"
    says out "launch 3: copy, 32.0 sectors a load"
    silent err
    expect 1 "$work/sim" warp9
    says err "warp9"
    ln -s "$there/lib/libhalfwarp.a" "$work/"
    expect 0 cc "$program" -o "$work/static_user" $(pkg-config --cflags halfwarp) -L"$work" \
        $(pkg-config --libs --static halfwarp | sed "s,-L$there/[^ ]*,," | sed 's,-L[^ ]*moved[^ ]*,,')
    LD_LIBRARY_PATH='' expect 0 "$work/static_user" cpu 64 65
fi
cat > "$work/CMakeLists.txt" << 'END'
cmake_minimum_required(VERSION 3.18)
project(user C)
find_package(Halfwarp 0.1 REQUIRED)
add_executable(with_shared transpose_array.c)
target_link_libraries(with_shared Halfwarp::halfwarp)
add_executable(with_static transpose_array.c)
target_link_libraries(with_static Halfwarp::halfwarp_static)
add_executable(simulates sim.c)
target_link_libraries(simulates Halfwarp::halfwarp)
add_executable(simulates_static sim.c)
target_link_libraries(simulates_static Halfwarp::halfwarp_static)
END
cp "$program" examples/sim.c "$work"
expect 0 cmake -S "$work" -B "$work/build" "-DCMAKE_PREFIX_PATH=$there"
expect 0 cmake --build "$work/build"
LD_LIBRARY_PATH='' expect 0 "$work/build/with_shared" cpu
says out "all right"
LD_LIBRARY_PATH='' expect 0 "$work/build/with_static" cpu 1 999
says out "all right"
LD_LIBRARY_PATH='' expect 0 "$work/build/simulates" gtx280
says out "bound by memory"
LD_LIBRARY_PATH='' expect 0 "$work/build/simulates_static" gtx280
says out "bound by memory"

# From Python, with nothing but what is in it.
if command -v python3 > "$work/where"; then
    expect 0 python3 - "$there/lib/libhalfwarp.so" << 'END'
import ctypes, sys
from ctypes import POINTER, byref, c_int, c_int32, c_int64, c_uint8, c_uint16, c_uint64, c_void_p

class DLTensor(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("ndim", c_int32),
                ("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16), ("shape", POINTER(c_int64)),
                ("strides", POINTER(c_int64)), ("byte_offset", c_uint64)]

def tensor(numbers, *shape):
    return DLTensor(ctypes.cast(numbers, c_void_p), 1, 0, len(shape), 0, 16, 1, (c_int64 * len(shape))(*shape), None, 0)

library = ctypes.CDLL(sys.argv[1])
library.hw_device_stream.restype = c_void_p
device, diag = c_void_p(), ctypes.create_string_buffer(4096)
assert library.hw_device_open(b"cpu", None, byref(device), diag) == 0
numbers, result = (ctypes.c_int16 * 24)(*range(24)), (ctypes.c_int16 * 24)()
status = library.hw_transpose(c_void_p(library.hw_device_stream(device)), byref(tensor(numbers, 2, 3, 4)),
                              (c_int * 3)(2, 0, 1), byref(tensor(result, 4, 2, 3)), diag)
assert status == 0, diag.raw
assert list(result) == [12 * j + 4 * k + i for i in range(4) for j in range(2) for k in range(3)]
library.hw_device_close(device)
END
fi

# The command. On a terminal its help is the manual that lies beside it.
unset LD_LIBRARY_PATH
"$halfwarp" --completions bash | cmp - "$there/share/bash-completion/completions/halfwarp" || fail "completions"
"$halfwarp" --completions zsh | cmp - "$there/share/zsh/site-functions/_halfwarp" || fail "completions of zsh"
"$halfwarp" --completions fish | cmp - "$there/share/fish/vendor_completions.d/halfwarp.fish" ||
    fail "completions of fish"
if command -v script > "$work/where"; then
    mkdir "$work/man"
    printf '#!/bin/sh\necho "the manual $1"\n' > "$work/man/man"
    chmod +x "$work/man/man"
    PATH=$work/man:$PATH script -qec "'$there/bin/halfwarp' help profile" "$work/typed" > "$work/out" < /dev/null
    says out "the manual $(readlink -f "$there")/bin/../share/man/man1/halfwarp-profile.1"
    PATH=$work/man:$PATH script -qec "'$there/bin/halfwarp' help columns" "$work/typed" > "$work/out" < /dev/null
    says out "the manual $(readlink -f "$there")/bin/../share/man/man7/halfwarp-columns.7"
    PATH=$work/man:$PATH script -qec "'$there/bin/halfwarp' help help" "$work/typed" > "$work/out" < /dev/null
    says out "usage: halfwarp help"
fi
export HALFWARP_HIDE_NVCC=1 HALFWARP_CACHE=$work/cache
expect 0 "$there/bin/halfwarp" transpose tests/data/npy/f8_fortran.npy -o "$work/t.npy" --device cpu
cmp "$work/t.npy" tests/data/npy/f8_fortran_transposed.npy || fail "the installed command's transpose"
if command -v clang nvcc > "$work/where"; then
    expect 0 "$there/bin/halfwarp" transpose tests/data/npy/rank5.npy -o "$work/sim.npy" --device sim:h200
    expect 0 "$there/bin/halfwarp" transpose tests/data/npy/rank5.npy -o "$work/cpu.npy" --device cpu
    cmp "$work/sim.npy" "$work/cpu.npy" || fail "the installed simulator's transpose"
fi
expect 0 "$there/bin/halfwarp" bench --device cpu --no-peers --seconds 0.001 --only "1000000,3"
expect 0 "$there/bin/halfwarp" run examples/transpose.cu 40
# The compiler driver, by its own name and as the nvcc of a toolkit's folder.
for driver in bin/halfwarp-nvcc lib/halfwarp/cuda/bin/nvcc; do
    HALFWARP_HIDE_NVCC=1 expect 0 "$there/$driver" -cudart static examples/transpose.cu -o "$work/transpose"
    expect 0 "$there/bin/halfwarp" run "$work/transpose" 41
    says out "all right"
done
says out "all right"
ln -s "$there/bin/halfwarp" "$work/link"
expect 0 "$work/link" profile examples/transpose.cu 40
says out "transpose_padded"
rm -r "$there/share"
expect 2 "$there/bin/halfwarp" run examples/transpose.cu 40
says err "no CUDA headers"
finish
