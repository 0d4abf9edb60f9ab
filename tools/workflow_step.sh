#!/usr/bin/env bash
# workflow_step.sh NAME: the commands of that step of examples/ci/github.yml, as GitHub's shell would get them.
set -eu
awk -v name="$1" '
    /- name:|- uses:/ {is_step = index($0, "name: " name)}
    is_step && /run: \|/ {is_run = 1; next}
    is_step && is_run && /^          / {print; is_there = 1; next}
    {is_run = 0}
    END {if (!is_there) {print "the workflow has no step \"" name "\"" > "/dev/stderr"; exit 1}}
' "$(dirname "$0")/../examples/ci/github.yml"
