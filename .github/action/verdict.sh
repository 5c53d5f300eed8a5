#!/usr/bin/env bash
# Fails the job if the result calls for it.
set -euo pipefail

# The meaning of exit code 1. H0 is a regression only if its Elo is negative; with the profile
# `gain` it is 0.
failure() {
    local elo0=
    if [ "${INPUT_MODE:-sprt}" = nightly ]; then
        elo0=-1
    elif [ -e "${RUN:-}/report.json" ]; then
        elo0=$(jq -r '.sprt.elo0 // empty' "$RUN/report.json")
    fi
    case "$elo0" in
        -*) echo "a regression" ;;
        *) echo "the change failed its test (H0 accepted)" ;;
    esac
}

# Whether the run has ended, so that a later job has nothing to play.
is_finished() {
    [ -e "${RUN:-}/report.json" ] && [ "$(jq -r .finished "$RUN/report.json")" = true ]
}

# The meaning of exit code 3.
undecided() {
    if [ "${INPUT_MODE:-sprt}" != nightly ] && is_finished; then
        echo "undecided at the end of the run: the log shows what to do"
    else
        echo "undecided within the time limit"
    fi
}

code=${CODE:-4}
fail_on=${INPUT_FAIL_ON:-regression}
case "$code" in
    0) message="passed" ;;
    1) message=$(failure) ;;
    3) message=$(undecided) ;;
    2) message="bad usage, configuration or input: nothing was played" ;;
    *) message="not played to the end (exit code $code)" ;;
esac
# A shard alone has no verdict.
if [ "$code" = 3 ] && [ -n "${INPUT_SHARD:-}" ]; then
    message="time limit of this shard reached"
    ! is_finished || message="this shard is complete"
    fail_on=regression
fi
case "$fail_on" in
    nothing) fails= ;;
    regression) case "$code" in 0 | 3) fails= ;; *) fails=yes ;; esac ;;
    undecided) case "$code" in 0) fails= ;; *) fails=yes ;; esac ;;
    *)
        echo "::error::fail-on is regression, undecided or nothing, not $fail_on"
        exit 2
        ;;
esac
if [ -n "$fails" ]; then
    echo "::error::hone: $message"
    exit 1
fi
echo "::notice::hone: $message"
