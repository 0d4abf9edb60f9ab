# The manuals: no warnings, and every option that --help names and every function of the header is in them.
. "$(dirname "$0")/../check.bash"

if command -v mandoc > "$work/where"; then
    # What is not installed yet cannot be found.
    mandoc -T lint man/*.[137] | grep -v 'referenced manual not found' > "$work/lint"
    [ ! -s "$work/lint" ] || fail "$(cat "$work/lint")"
fi
for command in run profile check plan diff nvcc ptx gpus occupancy transpose matmul reduce nearest ladder bench \
    doctor; do
    "$halfwarp" $command --help | grep -oE '^ +(--[a-z0-9-]+|-o)' | sort -u > "$work/options"
    [ -s "$work/options" ] || fail "no options of $command"
    while read -r option; do
        case $option in
            --*) pattern="Fl Fl ${option#--}" ;;
            *) pattern="Fl ${option#-}" ;;
        esac
        grep -qE "$pattern( |\$)" man/halfwarp-$command.1 ||
            { [[ $command =~ ^(profile|check|plan)$ ]] && grep -qE "$pattern( |\$)" man/halfwarp-run.1; } ||
            fail "man/halfwarp-$command.1 has no $option"
    done < "$work/options"
    grep -q "^.It Cm $command" man/halfwarp.1 || fail "man/halfwarp.1 has no $command"
done
# Every column of a report is explained: those of the counters' table, of each kind of CSV, and the keys of JSON.
columns=man/halfwarp-columns.7
sed -n 's/^\.It Li //p' $columns | tr ',' '\n' | sed 's/^ *//; s/ *$//' | sort -u > "$work/explained"
# explained: every line of standard input.
explained() {
    sort -u | comm -23 - "$work/explained" > "$work/unexplained"
    [ ! -s "$work/unexplained" ] || fail "$columns does not explain" $(cat "$work/unexplained")
}
sed -nE 's/^HW_COUNTER\([A-Z0-9_]+, ([a-z0-9_]+), [A-Z]+, [1-9].*/\1/p' src/prof/counters.def > "$work/counters"
[ "$(wc -l < "$work/counters")" -ge 48 ] || fail "counters: $(cat "$work/counters")"
explained < "$work/counters"
for gpu in h200 m2090 gtx280; do
    for options in "" --summary --lines --lines=group; do
        expect 0 "$halfwarp" profile --gpu $gpu $options --format csv -o "$work/r.csv" examples/transpose.cu 32
        head -1 "$work/r.csv" | tr , '\n' | explained
        expect 0 "$halfwarp" profile --gpu $gpu $options --format json -o "$work/r.json" examples/transpose.cu 32
        sed 's/"gpu": {[^}]*}/"gpu": 0/' "$work/r.json" > "$work/flat.json"
        grep -oE '"[a-z0-9_]+": ' "$work/flat.json" | tr -d '": ' | sort -u > "$work/keys"
        [ "$(wc -l < "$work/keys")" -gt 30 ] || fail "keys of JSON: $(cat "$work/keys")"
        explained < "$work/keys"
    done
done
grep -q halfwarp-columns <("$halfwarp" profile --help) || fail "profile --help does not name the manual of columns"
# Of the library: each function with as many arguments as its header gives it, in the SYNOPSIS of a page.
cat include/halfwarp.h include/halfwarp/sim.h | tr '\n' ' ' | sed 's/HW_API/\n&/g' |
    sed -n 's/^HW_API [^;]*[ *]\(hw_[a-z0-9_]*\)(\([^;]*\));.*/\1 \2/p' |
    while read -r name arguments; do echo "$name $(tr -cd , <<< "$arguments" | wc -c)"; done > "$work/functions"
[ "$(wc -l < "$work/functions")" -ge 52 ] || fail "functions of the headers: $(cat "$work/functions")"
sed -n '/^.Sh SYNOPSIS/,/^.Sh DESCRIPTION/p' man/*.3 | awk '
    /^.Fn / {n = gsub(/"[^"]*"/, ""); print $2, n - 1}
    /^.Fo / {name = $2; n = 0}
    /^.Fa / {n++}
    /^.Fc/ {print name, n - 1}' > "$work/manuals"
while read -r function; do
    grep -qx "$function" "$work/manuals" || fail "no manual of section 3 has this function (and its commas): $function"
done < "$work/functions"
for page in man/hw_*.3 man/libhalfwarp.3; do
    for section in COST SOURCES; do
        grep -qx ".Sh $section" "$page" || fail "$page has no $section"
    done
done
finish
