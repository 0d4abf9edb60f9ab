# zsh -f completion_capture.zsh FOLDER LINE: what zsh offers for the line's last word, by the functions of FOLDER.
zmodload zsh/zpty || exit 1
folder=$1 line=$2 out=$1/offered
: > $out
zpty z zsh -f -i
zpty -w z "PROMPT=; fpath=($folder \$fpath); autoload -Uz compinit; compinit -u -D; bindkey '^I' complete-word"
zpty -w z "compadd() {
    if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd \"\$@\"; return; fi
    local -a hits; builtin compadd -A hits \"\$@\"; print -rl -- \$hits >> $out; builtin compadd \"\$@\"
}
end-it() { print -r -- END >> $out }; zle -N end-it; bindkey '^G' end-it; print READY >> $out"
for i in {1..300}; do grep -q READY $out && break; sleep 0.05; done
zpty -w -n z "$line"$'\t\a'
for i in {1..300}; do grep -q END $out && break; sleep 0.05; done
zpty -d z
grep -v 'READY\|END' $out | sort -u
