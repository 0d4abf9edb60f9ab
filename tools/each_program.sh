#!/usr/bin/env bash
# each_program.sh COMMAND [OPTIONS] PROG...: runs halfwarp COMMAND OPTIONS for each program, the words at the end that
# are .cu files; exits with the worst status. For pre-commit, which gives all changed files at once.
set -u
first=$#
while [ "$first" -gt 0 ] && [ -f "${!first}" ] && [ "${!first##*.}" = cu ]; do first=$((first - 1)); done
worst=0
for program in "${@:first + 1}"; do
    halfwarp "${@:1:first}" "$program"
    status=$?
    [ $status -gt $worst ] && worst=$status
done
exit $worst
