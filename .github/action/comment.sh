#!/usr/bin/env bash
# Writes the summary as a comment on the pull request, replacing the comment
# of an earlier run. Prints a warning if the token may not write (a pull
# request from a fork).
set -euo pipefail

name=${INPUT_NAME:-gate}
marker="<!-- hone: $name -->"
number=$(jq -r '.pull_request.number // .issue.number // empty' "$GITHUB_EVENT_PATH")
if [ -z "$number" ]; then
    echo "not a pull request: no comment"
    exit 0
fi

if ! command -v gh >/dev/null; then
    echo "::warning::the comment needs \`gh\`: install it in a step before, or set \`comment: false\`"
    exit 0
fi

# The LLR between its bounds, as text.
picture() {
    local report=${RUN:-}/report.json
    [ -e "$report" ] || return 0
    jq -r '
        select(.sprt != null and .sprt.llr != null) | .sprt
        | 40 as $width
        | ((.llr - .lower) / (.upper - .lower) * $width | round) as $at
        | (if $at < 0 then 0 elif $at > $width then $width else $at end) as $at
        | "```text",
          "H0 \(.lower * 100 | round / 100) |\("-" * $at // "")o\("-" * ($width - $at) // "")| \(.upper * 100 | round / 100) H1",
          "LLR \(.llr * 100 | round / 100)",
          "```"
    ' "$report"
}

# The first whole lines of the summary, without an open code block or hidden part at the end.
# The longest comment that is accepted has 65,536 characters.
beginning() {
    LC_ALL=C awk '
        (size += length($0) + 1) > 50000 { is_cut = 1; exit }
        { print }
        match($0, /^```+/) {
            if (fence == "") fence = substr($0, 1, RLENGTH)
            else if (RLENGTH >= length(fence) && RLENGTH == length($0)) fence = ""
        }
        fence == "" && /^<details>/ { hidden = 1 }
        fence == "" && /^<\/details>/ { hidden = 0 }
        END {
            if (!is_cut) exit
            if (fence != "") print fence
            if (hidden) print "\n</details>"
            print "\nThe summary is longer; the page of this job shows all of it."
        }
    ' "$SUMMARY"
}

body=$(mktemp)
trap 'rm -f "$body"' EXIT
{
    echo "$marker"
    beginning
    echo
    picture
    echo
    link="${GITHUB_SERVER_URL:-https://github.com}/$GITHUB_REPOSITORY/actions/runs/${GITHUB_RUN_ID:-}"
    printf '[This job](%s)' "$link"
    [ -z "${ARTIFACT_URL:-}" ] || printf ' · [games, ledger and report](%s)' "$ARTIFACT_URL"
    echo
} >"$body"

comments=repos/$GITHUB_REPOSITORY/issues/$number/comments
earlier=$(gh api --paginate "$comments" \
    --jq ".[] | select(.body | startswith(\"$marker\")) | .id" | tail -n 1) || earlier=
if [ -n "$earlier" ]; then
    set -- --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$earlier"
else
    set -- --method POST "$comments"
fi
if ! gh api "$@" --raw-field "body=$(cat "$body")" --silent; then
    echo "::warning::cannot write the comment; after HTTP 403, give the token the permission \`pull-requests: write\`"
fi
