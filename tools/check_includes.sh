#!/usr/bin/env bash
# Enforces the order of modules in docs/design.md: which folder may include which. Prints what breaks it; exit 1 then.
set -u
cd "${1:-$(dirname "$0")/..}" || exit 2

# A folder, and what its files may name in an #include besides base, their own folder and the
# public headers (halfwarp.h, halfwarp/).
declare -A allowed=(
    [base]=""
    [isa]=""
    [ptx]="isa"
    [lower]="ptx isa"
    [mem]=""
    [event]="isa"
    [exec]="lower mem event isa"
    [model]="isa"
    [prof]="event model isa"
    [report]="prof"
    [toolchain]=""
    [sim]="device prof io toolchain"
    [device]="exec lower ptx mem event toolchain model io isa"
    [op]="device toolchain kernels"
    [ladder]="op device prof event model isa"
    [io]="isa"
    [shim]="device prof report toolchain io"
    [cli]="toolchain isa op ladder device model io report prof"
    [bench]="isa op"
)

bad=0
complain() {
    echo "$1: $2" >&2
    bad=1
}

check_file() {
    local file=$1 module=$2 line header target
    while IFS=: read -r line header; do
        case $header in
            */*) target=${header%%/*} ;;
            *) continue ;;   # a neighbour in the same folder
        esac
        [ "$target" = "$module" ] || [ "$target" = base ] || [ "$target" = halfwarp ] && continue
        case " ${allowed[$module]} " in
            *" $target "*) ;;
            *) complain "$file:$line" "$module must not include $header" ;;
        esac
    done < <(sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"\([^"]*\)".*/\1/;T;=;p' "$file" | paste -d: - -)
}

for folder in src/*/ shim/ cli/ bench/; do
    module=$(basename "$folder")
    [ -d "$folder" ] || continue
    if [ -z "${allowed[$module]+set}" ]; then
        complain "$folder" "this folder has no row in tools/check_includes.sh"
        continue
    fi
    while IFS= read -r file; do
        check_file "$file" "$module"
    done < <(find "$folder" -name '*.c' -o -name '*.h' -o -name '*.def')
done
exit $bad
