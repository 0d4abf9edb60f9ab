# What bash, zsh and fish complete: commands, each one's options, GPUs, and files by themselves where it is none of
# these. zsh and fish are asked where they are installed; that each has all options is read in what they are given.
. "$(dirname "$0")/../check.bash"

"$halfwarp" --completions bash > "$work/completions" || fail "--completions bash"
expect 2 "$halfwarp" --completions tcsh
refuses "for bash, zsh or fish"
expect 2 "$halfwarp" --completions
refuses "for bash, zsh or fish"
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
offers profile --g // "--gpu --gpus"
offers run --l // "--lenient"
offers profile --li // "--lines"
offers profile --t // "--threads --time --timeout --trace"
offers run --only // "--only"
offers run --shards "" // "auto"
offers run --only k // "kernel="
offers profile --lines --gpu gtx280 // "gtx280 gtx280m"
offers run --gpu = k40 // "k40 k4000 k4000m k40c"
offers transpose in.npy --device s // "sim:"
offers transpose in.npy --device sim : h2 // "h200 h200-nvl"
offers transpose in.npy --device cuda : "" // ""
offers ladder tr // "transfer transpose"
offers help ga // ""
offers help gp // "gpus"
offers help col // "columns"
offers run "" // ""
# As --help has them: a line each, or several on one.
commands=$("$halfwarp" --help | sed -nE 's/^  ([a-z]+(, [a-z]+)*)(:| +[a-z]).*/\1/p' | tr -d ,)
n_commands=$(echo $commands | wc -w)
# All commands, all GPUs, and of each command every option that --help names.
[ "$(completed "" | tr ' ' '\n' | grep -vc '^-')" = "$n_commands" ] ||
    fail "commands: $(completed "")"
[ "$(completed run --gpu "" | wc -w)" = "$(($("$halfwarp" gpus --format csv | wc -l) - 1))" ] ||
    fail "GPUs: $(completed run --gpu "")"
for command in $commands; do
    "$halfwarp" "$command" --help | sed -nE 's/^  (--[a-z0-9-]+|-o).*/\1/p' | while read -r option; do
        case " $(completed "$command" "$option") " in *" $option "*) ;; *) echo "$command $option" ;; esac
    done
done > "$work/missing"
[ ! -s "$work/missing" ] || fail "not offered: $(cat "$work/missing")"

# ---- zsh and fish ----
for shell in zsh fish; do
    expect 0 "$halfwarp" --completions $shell
    silent err
    cp "$work/out" "$work/completions.$shell"
done
head -1 "$work/completions.zsh" | grep -qx '#compdef halfwarp' || fail "zsh would not take it for completions"
# Every command, and of each every option that --help begins a line with; a block of each command has them.
in_zsh() { sed -n "/^    $1) _arguments/,/;;\$/p" "$work/completions.zsh" | grep -qE -- "^ +'$2(=-?)?\["; }
in_fish() {
    local kind=-l
    case $2 in --*) ;; -?) kind=-s ;; *) kind=-o ;; esac
    grep -qE -- "^complete .*from $1' $kind $(sed 's/^-*//' <<< "$2") " "$work/completions.fish"
}
for command in $commands; do
    grep -q "^    '$command:" "$work/completions.zsh" || echo "zsh: $command"
    grep -qE "^complete .*use_subcommand -f -a $command -d '[a-z]" "$work/completions.fish" || echo "fish: $command"
    "$halfwarp" "$command" --help | sed -nE 's/^  (--[a-z0-9-]+|-[a-z]+)([ ,=[].*)?$/\1/p' | while read -r option; do
        in_zsh "$command" "$option" || echo "zsh: $command $option"
        in_fish "$command" "$option" || echo "fish: $command $option"
    done
done > "$work/missing"
[ ! -s "$work/missing" ] || fail "not offered: $(cat "$work/missing")"
[ "$(grep -c "^    '" "$work/completions.zsh")" = "$n_commands" ] ||
    fail "zsh has other commands"
for shell in zsh fish; do
    for word in gtx280 rtx4090 transpose "the GPU to simulate"; do
        grep -q -- "$word" "$work/completions.$shell" || fail "$shell: no $word"
    done
done

# offered_by SHELL LINE: what the shell itself offers for the last word of the line, sorted, in one line.
zsh_folder=$work/zsh
mkdir "$zsh_folder"
cp "$work/completions.zsh" "$zsh_folder/_halfwarp"
offered_by() {
    case $1 in
        zsh) timeout 60 zsh -f tests/cli/tool/completion_capture.zsh "$zsh_folder" "$2" | sed '/^$/d' ;;
        fish) HOME=$work fish -N -c 'source $argv[1]; complete -C $argv[2]' "$work/completions.fish" "$2" | cut -f1 ;;
    esac | sort | tr '\n' ' ' | sed 's/ $//'
}
for shell in zsh fish; do
    command -v $shell > "$work/where" || continue
    while IFS='|' read -r line text; do
        got=$(offered_by $shell "$line")
        [ "$got" = "$text" ] || fail "$shell: '$line': '$got' and not '$text'"
    done << 'ROWS'
halfwarp pro|profile
halfwarp profile --l|--launches --lenient --lines
halfwarp run --gpu k400|k4000 k4000m
halfwarp transpose --device sim:h2|sim:h200 sim:h200-nvl
halfwarp ladder transp|transpose
halfwarp help gp|gpus
halfwarp help col|columns
halfwarp nvcc -fat|-fatbin
halfwarp occupancy --compiler cl|clang
ROWS
done

# help: what --help prints, where there is no terminal or no manual.
for command in '' gpus run ladder; do
    expect 0 "$halfwarp" help $command
    "$halfwarp" $command --help | cmp - "$work/out" || fail "help $command"
done
# Of columns the manual as text: every one that the manual explains, and no macro.
expect 0 "$halfwarp" help columns
silent err
sed -n 's/^\.It Li //p' man/halfwarp-columns.7 | sed 's/ ,/,/g' | while read -r names; do
    grep -qxF -- "  $names" "$work/out" || echo "$names"
done > "$work/missing"
[ "$(grep -c '^\.It Li' man/halfwarp-columns.7)" -gt 50 ] && [ ! -s "$work/missing" ] ||
    fail "help columns has no $(cat "$work/missing")"
says out "  halfwarp-columns - what the columns of halfwarp profile mean"
says out "with --format csv or json the numbers behind them"
says out "with --lines=group or launch: the first"
says out "halfwarp-occupancy(1), halfwarp-profile(1)"
! grep -nE '(^| )(\.[A-Z][a-z]|Li|Fl|Xr|Ns|Cm|Sq|Dq)( |$)' "$work/out" > "$work/macros" ||
    fail "macros in help columns: $(cat "$work/macros")"
expect 2 "$halfwarp" help profil
refuses "did you mean 'profile'"
expect 2 "$halfwarp" help run profile
refuses "one command"
finish
