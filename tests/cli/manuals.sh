# The manuals: no warnings, and every option that --help names is in them.
. "$(dirname "$0")/check.bash"

if command -v mandoc > "$work/where"; then
    # What is not installed yet cannot be found.
    mandoc -T lint man/*.[13] | grep -v 'referenced manual not found' > "$work/lint"
    [ ! -s "$work/lint" ] || fail "$(cat "$work/lint")"
fi
for command in run profile occupancy transpose matmul reduce nearest ladder bench; do
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
finish
