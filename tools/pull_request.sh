#!/usr/bin/env bash
# pull_request.sh REPOSITORY: follows examples/ci/github.yml as GitHub would for a pull request, step by step, and then
# the commands of examples/ci/gitlab.yml. REPOSITORY is Halfwarp's, from which the first step installs it, as root. The
# project is examples/transpose.cu with budgets for its padded tile; the change writes the same results in another
# order, which breaks coalescing. Fails unless `main` passes and the change does not, at its line.
# For machines where nothing is lost: tools/bare_system.sh --pull-request runs it in a root of its own.
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
export HALFWARP_REPOSITORY=$1 GITHUB_BASE_REF=main
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
work=$(mktemp -d)
export GITHUB_STEP_SUMMARY=$work/summary.md
trap 'rm -rf "$work"' EXIT
failed=0

# expect STATUS COMMAND...: what the command says is shown, but for that of steps that went well.
expect() {
    local wanted=$1 status
    shift
    "$@" > "$work/out" 2> "$work/err"
    status=$?
    echo "== $*: exit status $status"
    [ "$wanted" = 0 ] || grep '^halfwarp: ' "$work/err"
    [ "$status" = "$wanted" ] && return
    tail -n 20 "$work/out" "$work/err"
    failed=1
}

# As GitHub's shell runs them.
step() {
    "$top/tools/workflow_step.sh" "$1" > "$work/step.sh" && bash -e "$work/step.sh"
}

gitlab() {
    sed -n 's/^ *- halfwarp/halfwarp/p' "$top/examples/ci/gitlab.yml" > "$work/step.sh"
    [ -s "$work/step.sh" ] && bash -e "$work/step.sh"
}

project() {
    git init -q -b main "$work/project" && cd "$work/project" || exit 1
    cp "$top/examples/transpose.cu" prog.cu
    cat > budgets.toml <<'TOML'
fail-if = [
    "kernel =~ /padded/ and gst_sectors_ratio > 1.1",
    "kernel =~ /padded/ and bank_passes > 1.1",
]
TOML
    git add . && git commit -qm "in order" && git clone -q --bare . "$work/origin" &&
        git remote add origin "$work/origin" && git fetch -q && git checkout -q -b change
}

break_coalescing() {
    sed -i 's/out\[(out_row .*/out[col * height + row + i] = tile[threadIdx.y + i][threadIdx.x];/' prog.cu
    git commit -qam "each thread writes what it has read"
}

project
expect 0 step "install Halfwarp"
expect 0 step "profile the change"
break_coalescing || failed=1
git --no-pager diff -U0 main | grep '^[-+] '
expect 1 step "profile the change"
line=$(grep -n 'out\[col \* height + row + i\] = tile' prog.cu | cut -d: -f1)
grep -q "prog.cu:$line has" "$work/err" || { echo "the line is not named"; failed=1; }
grep -q "\"startLine\": $line" budgets.sarif || { echo "no line in budgets.sarif"; failed=1; }
[ -s report.html ] || { echo "no page"; failed=1; }
expect 0 step "what has changed"
cat "$GITHUB_STEP_SUMMARY"
expect 1 gitlab
grep '<failure' budgets.xml || failed=1
exit $failed
