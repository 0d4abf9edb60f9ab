# For the scripts here: source it, then call expect. $1 of the script is the halfwarp to test.
set -u
halfwarp=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
# Compiled programs are kept in the build tree, so that scripts share them and the user's cache stays as it is.
HALFWARP_CACHE=$(cd "$(dirname "$halfwarp")" && pwd)/test-cache
export HALFWARP_CACHE
# Whatever the user's settings and language are; and programs that crash on purpose leave no files of their memory.
unset HALFWARP_HIDE_NVCC NO_COLOR CUDA_VISIBLE_DEVICES
export LC_ALL=C
# Tables in one piece, however wide the terminal is.
export COLUMNS=160
ulimit -c 0

# A program costs nvcc twice the time that it costs clang, and most scripts ask the same of either. Where both are here,
# nvcc and what lies beside it is out of sight: `make test` shows what clang compiles. Scripts about nvcc and ptxas say
# about_nvcc=1 before they come here; HW_TEST_COMPILERS=all hides nothing, as continuous integration has it.
asks_all() { [ "${HW_TEST_COMPILERS:-}" = all ]; }
hide_nvcc() {
    local folder path=
    local -a folders
    IFS=: read -ra folders <<< "$PATH"
    for folder in "${folders[@]}"; do
        [ -x "$folder/nvcc" ] && [ ! -x "$folder/sh" ] || path=$path:$folder
    done
    PATH=${path#:}
}
[ -n "${about_nvcc:-}" ] || asks_all || ! command -v clang > /dev/null || hide_nvcc

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# expect STATUS COMMAND...: runs it with output in $work/out and $work/err.
expect() {
    local wanted=$1 got
    shift
    "$@" > "$work/out" 2> "$work/err" < /dev/null
    got=$?
    [ "$got" = "$wanted" ] && return
    fail "exit status $got and not $wanted: $*"
    sed 's/^/    out: /' "$work/out" | head -20 >&2
    sed 's/^/    err: /' "$work/err" | head -20 >&2
}

# says out|err TEXT: the last command's output has TEXT somewhere. silent out|err: it wrote nothing there.
says() {
    grep -qF -- "$2" "$work/$1" || fail "no '$2' on std$1, which has: $(head -c 400 "$work/$1")"
}
silent() {
    [ ! -s "$work/$1" ] || fail "unexpected on std$1: $(head -c 400 "$work/$1")"
}

# The last command refused in one sentence, which has TEXT, and printed nothing else.
refuses() {
    silent out
    says err "$1"
    [ "$(wc -l < "$work/err")" = 1 ] || fail "more than a sentence: $(cat "$work/err")"
}
# Rows of "arguments|text" on standard input: COMMAND with such arguments ends with 2, and refuses so.
refuses_rows() {
    local arguments text
    while IFS='|' read -r arguments text; do
        eval "expect 2 \"\$@\" $arguments"
        refuses "$text"
    done
}

# levels_of COMPILER: the options by which programs of tests/check are tried. An -O of nvcc's is for the host's code
# alone: the PTX of -O3 is that of -O0.
levels_of() {
    case $1 in
        clang) echo -O0 -O3 -G ;;
        nvcc) echo -O0 -G ;;
    esac
}

finish() {
    [ $failures = 0 ] || exit 1
    exit 0
}
