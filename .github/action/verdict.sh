#!/usr/bin/env bash
# Fails the job if the result calls for it.
set -euo pipefail

code=${CODE:-4}
fail_on=${INPUT_FAIL_ON:-regression}
case "$code" in
    0) message="passed" ;;
    1) message="a regression" ;;
    3) message="undecided within the time limit" ;;
    2) message="bad usage, configuration or input: nothing was played" ;;
    *) message="not played to the end (exit code $code)" ;;
esac
# A shard alone has no verdict.
if [ "$code" = 3 ] && [ -n "${INPUT_SHARD:-}" ]; then
    message="this shard is played as far as its time went"
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
