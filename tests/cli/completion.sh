# What bash completes: commands, each one's options, GPUs, and files by itself where it is none of these.
. "$(dirname "$0")/check.bash"

"$halfwarp" --completions bash > "$work/completions" || fail "--completions bash"
expect 2 "$halfwarp" --completions tcsh
refuses "for bash"
expect 2 "$halfwarp" --completions
refuses "for bash"
bash -n "$work/completions" || fail "bash does not understand it"
grep -q '^complete .* -F _halfwarp halfwarp$' "$work/completions" || fail "nothing is set up"

# complete WORDS...: what is offered for the last of them, sorted, in one line.
completed() {
    bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _halfwarp; printf "%s\n" "${COMPREPLY[@]}"' \
        bash "$work/completions" halfwarp "$@" | sort | tr '\n' ' ' | sed 's/ $//'
}
# offers WORDS... -- TEXT
offers() {
    local words=() got
    while [ "$1" != // ]; do
        words+=("$1")
        shift
    done
    got=$(completed "${words[@]}")
    [ "$got" = "$2" ] || fail "${words[*]}: '$got' and not '$2'"
}
offers pro // "profile"
offers r // "reduce run"
offers profile --g // "--gpu"
offers run --l // ""
offers profile --li // "--lines"
offers profile --lines --gpu gtx280 // "gtx280 gtx280m"
offers run --gpu = k40 // "k40 k4000 k4000m k40c"
offers transpose in.npy --device s // "sim:"
offers transpose in.npy --device sim : h2 // "h200 h200-nvl"
offers transpose in.npy --device cuda : "" // ""
offers ladder tr // "transpose"
offers help ga // ""
offers help gp // "gpus"
offers run "" // ""
# All commands, all GPUs, and of each command every option that --help names.
[ "$(completed "" | tr ' ' '\n' | grep -vc '^-')" = "$("$halfwarp" --help | grep -cE '^  [a-z]+ +[a-z]')" ] ||
    fail "commands: $(completed "")"
[ "$(completed run --gpu "" | wc -w)" = "$(($("$halfwarp" gpus --format csv | wc -l) - 1))" ] ||
    fail "GPUs: $(completed run --gpu "")"
for command in $("$halfwarp" --help | sed -nE 's/^  ([a-z]+) +[a-z].*/\1/p'); do
    "$halfwarp" "$command" --help | sed -nE 's/^  (--[a-z0-9-]+|-o).*/\1/p' | while read -r option; do
        case " $(completed "$command" "$option") " in *" $option "*) ;; *) echo "$command $option" ;; esac
    done
done > "$work/missing"
[ ! -s "$work/missing" ] || fail "not offered: $(cat "$work/missing")"

# help: what --help prints, where there is no terminal or no manual.
for command in '' gpus run ladder; do
    expect 0 "$halfwarp" help $command
    "$halfwarp" $command --help | cmp - "$work/out" || fail "help $command"
done
expect 2 "$halfwarp" help profil
refuses "did you mean 'profile'"
expect 2 "$halfwarp" help run profile
refuses "one command"
finish
