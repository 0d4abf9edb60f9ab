# Wrong usage is refused with status 2 and one sentence that helps; help goes to stdout.
. "$(dirname "$0")/../check.bash"

expect 2 "$halfwarp"
says err "usage: halfwarp COMMAND"
says err "halfwarp profile prog.cu"
silent out
expect 0 "$halfwarp" --help
says out "profile"
[ "$(wc -l < "$work/out")" -le 23 ] || fail "--help does not fit a screen: $(wc -l < "$work/out") lines"
! grep -nE '.{81}' "$work/out" || fail "--help is wider than a screen"
silent err
expect 0 "$halfwarp" --version
says out "halfwarp "
for command in run profile check diff nvcc ptx gpus occupancy bandwidth transpose matmul reduce nearest bench ladder \
    doctor; do
    expect 0 "$halfwarp" "$command" --help
    says out "usage: halfwarp $command"
    silent err
done
# On a terminal of 24 lines a longer one begins at its beginning, and what fits comes as it is.
terminal() { PAGER="sed s/^/paged:/" python3 "$(dirname "$0")/../programs/terminal.py" "$@" < /dev/null; }
expect 0 terminal 24x100 -- "$halfwarp" profile --help
says out "paged:usage: halfwarp profile"
expect 0 terminal 24x100 -- "$halfwarp" doctor --help
! grep -q paged: "$work/out" || fail "what fits was paged"
PAGER=no-such-pager expect 0 python3 "$(dirname "$0")/../programs/terminal.py" 24x100 -- "$halfwarp" profile --help
says out "usage: halfwarp profile"
# Behind other words too, but not behind a program.
expect 0 "$halfwarp" ladder access --gpu h200 --help
says out "usage: halfwarp ladder"
expect 2 "$halfwarp" run "$work/nothing.cu" --help
says err "cannot read $work/nothing.cu"

expect 2 "$halfwarp" profle x.cu
says err "did you mean 'profile'?"
silent out
# check has one thread and executes all: it neither has nor lists these.
expect 0 "$halfwarp" check --help
! grep -qE '^  --(threads|no-reuse)' "$work/out" || fail "check --help: $(cat "$work/out")"
for option in --threads=2 --no-reuse; do
    expect 2 "$halfwarp" check $option x.cu
    says err "not of check"
done
for wrong in "examples/transpose.cu|halfwarp run, profile or check examples/transpose.cu" \
    "--gpu h200 run x.cu|options stand behind the command" \
    "profile --format html x.cu|--report FILE.html makes a page" \
    "profile --report x.cu|--report takes the name of a page, FILE.html, and got 'x.cu'"; do
    expect 2 "$halfwarp" ${wrong%%|*}
    says err "${wrong#*|}"
done
expect 2 "$halfwarp" zzzzzzzzzz
says err "there is no command 'zzzzzzzzzz'"
expect 2 "$halfwarp" run
says err "which program?"
expect 2 "$halfwarp" run --gpu h200x x.cu
says err "did you mean 'h200'?"
# What is near: begun, inside, a slip away, in capitals or not. What shares two letters in four is not. What is in the
# names of several GPUs is none of them, and says which.
while read -r typed meant; do
    expect 2 "$halfwarp" run --gpu "$typed" x.cu
    case $meant in
        -)
            ! grep -q "did you mean" "$work/err" || fail "--gpu $typed: $(cat "$work/err")"
            says err "\`halfwarp gpus\` lists them" ;;
        *[,+]) says err "'$typed' could be ${meant/+/ or }" ;;
        *) says err "did you mean '$meant'?" ;;
    esac
done <<'ROWS'
gtx285x gtx285
GTX28 gtx280,
rtx4 rtx4090,
titanr titanrtx
4090 rtx4090,
fx56 fx5600
fx5 fx5600,
280 gtx280+
8800 8800gtx,
rtx-309 rtx3090+
8080gtx 8800gtx
fx56000 fx5600
h20O h200
t5 -
x -
zzzzzz -
ROWS
expect 2 "$halfwarp" run --gpu ""
! grep -q "did you mean" "$work/err" || fail "--gpu '': $(cat "$work/err")"
expect 2 "$halfwarp" occupancy -x
! grep -q "did you mean" "$work/err" || fail "-x: $(cat "$work/err")"
expect 2 "$halfwarp" run --gpu
says err "takes a value"
expect 2 "$halfwarp" run --gup h200 x.cu
says err "did you mean --gpu?"
expect 2 "$halfwarp" run --format csv x.cu
says err "option of \`halfwarp profile\`"
for wrong in 0 -1 x 1e3 99999999999999999999 ""; do
    expect 2 "$halfwarp" run --threads "$wrong" x.cu
    says err "--threads"
    expect 2 "$halfwarp" run "--threads=$wrong" x.cu
done
expect 2 "$halfwarp" run --seed x x.cu
expect 2 "$halfwarp" run --compiler gcc x.cu
says err "nvcc or clang"
expect 2 "$halfwarp" profile --format xml x.cu
says err "table, csv or json"
expect 2 "$halfwarp" profile --lines=3 x.cu
expect 2 "$halfwarp" run -I
says err "takes a value"
expect 2 "$halfwarp" gpus now

expect 2 "$halfwarp" run "$work/absent.cu"
says err "absent.cu"
expect 2 "$halfwarp" run "$work/absent"
says err "absent"
mkdir "$work/folder"
expect 2 "$halfwarp" run "$work/folder"
says err "folder"
echo text > "$work/text"
expect 2 "$halfwarp" run "$work/text"
says err "text"
chmod +x "$work/text"
printf '\177ELFnot really' > "$work/broken"
chmod +x "$work/broken"
expect 2 "$halfwarp" run "$work/broken"
says err "broken begins as a program does"

# A report that cannot be written is found before the program runs.
expect 2 "$halfwarp" profile -o "$work/no/such/folder/p.csv" "$work/absent.cu"
says err "no/such/folder/p.csv"
expect 2 "$halfwarp" profile -o "$work/folder" "$work/absent.cu"
says err "folder"

# A full disk is not a success.
if [ -w /dev/full ]; then
    "$halfwarp" gpus > /dev/full 2> "$work/err"
    [ $? = 2 ] || fail "a full disk went unnoticed"
    says err "cannot write"
fi
finish
