# The manuals: no warnings, and every option that --help names and every function of the header is in them.
. "$(dirname "$0")/check.bash"

if command -v mandoc > "$work/where"; then
    # What is not installed yet cannot be found.
    mandoc -T lint man/*.[13] | grep -v 'referenced manual not found' > "$work/lint"
    [ ! -s "$work/lint" ] || fail "$(cat "$work/lint")"
fi
for command in run profile nvcc ptx occupancy transpose matmul reduce nearest ladder bench; do
    "$halfwarp" $command --help | grep -oE '^ +(--[a-z0-9-]+|-o)' | sort -u > "$work/options"
    [ -s "$work/options" ] || fail "no options of $command"
    while read -r option; do
        case $option in
            --*) pattern="Fl Fl ${option#--}" ;;
            *) pattern="Fl ${option#-}" ;;
        esac
        grep -qE "$pattern( |\$)" man/halfwarp-$command.1 ||
            { [ $command = profile ] && grep -qE "$pattern( |\$)" man/halfwarp-run.1; } ||
            fail "man/halfwarp-$command.1 has no $option"
    done < "$work/options"
    grep -q "^.It Cm $command" man/halfwarp.1 || fail "man/halfwarp.1 has no $command"
done
# Of the library: each function with as many arguments as the header gives it, in the SYNOPSIS of a page.
tr '\n' ' ' < include/halfwarp.h | sed 's/HW_API/\n&/g' |
    sed -n 's/^HW_API [^;]*[ *]\(hw_[a-z0-9_]*\)(\([^;]*\));.*/\1 \2/p' |
    while read -r name arguments; do echo "$name $(tr -cd , <<< "$arguments" | wc -c)"; done > "$work/functions"
[ "$(wc -l < "$work/functions")" -ge 25 ] || fail "functions of the header: $(cat "$work/functions")"
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
