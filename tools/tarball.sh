#!/usr/bin/env bash
# tarball.sh BUILD: makes BUILD/halfwarp-VERSION-linux-MACHINE.tar.gz of what is built there: a folder that runs
# wherever it is unpacked, on any Linux whose C library is new enough, which is told. The libraries that are not part of
# the C library lie in it, with their licences.
set -eu
build=$(cd "$1" && pwd)
version=$("$build/halfwarp" --version | sed 's/.* //')
name=halfwarp-$version-linux-$(uname -m)
folder=$build/$name
rm -rf "$folder"
cmake --install "$build" --prefix "$folder" > "$build/tarball.log" || { cat "$build/tarball.log" >&2; exit 1; }

# Beside libhalfwarp.so, where everything that needs them looks first.
ldd "$folder/lib/libhalfwarp.so" | sed -n 's/.*=> \(.*\) (.*/\1/p' | while read -r library; do
    case ${library##*/} in
    libc.so* | libm.so* | libdl.so* | libpthread.so* | ld-linux*) continue ;;
    esac
    cp -L "$library" "$folder/lib/"
    package=$(dpkg-query -S "$(readlink -f "$library")" 2> /dev/null | sed 's/:.*//' | head -n 1)
    licence=/usr/share/doc/$package/copyright
    [ -n "$package" ] && [ -f "$licence" ] || { echo "tarball: no licence of $library" >&2; exit 1; }
    mkdir -p "$folder/share/doc/halfwarp/licences"
    cp "$licence" "$folder/share/doc/halfwarp/licences/$package"
done

oldest=$(find "$folder/bin" "$folder/lib" -type f \( -name '*.so*' -o -name halfwarp \) -exec objdump -T {} + |
    grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
tar -C "$build" --owner=0 --group=0 --sort=name -czf "$build/$name.tar.gz" "$name"
rm -rf "$folder"
echo "$build/$name.tar.gz: $(du -h "$build/$name.tar.gz" | cut -f 1), for machines with ${oldest/_/ } or newer"
