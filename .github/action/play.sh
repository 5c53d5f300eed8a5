#!/usr/bin/env bash
# Plays, or resumes the unfinished run of an earlier job. Never fails because of a
# result: verdict.sh does that after everything is saved.
#
# Outputs: `code` (exit code of hone), `verdict`, `run` (folder), `summary` (file),
# `artifact` (name) and `archive` (file), `commentable`.
set -euo pipefail

home=${HONE_HOME:?}
mode=${INPUT_MODE:-sprt}
# Without them, a failed question about the event or the history would change the base. A
# nightly does not read the event.
needed=(git jq)
[ "$mode" != nightly ] || needed=(git)
for program in "${needed[@]}"; do
    if ! command -v "$program" >/dev/null; then
        echo "::error::the Action needs \`$program\`: install it in a step before"
        exit 1
    fi
done

name=${INPUT_NAME:-gate}
shard=${INPUT_SHARD:-}
# It names artifacts, entries of the cache and folders.
case "$name" in
    *['":<>|*?\/,']* | *$'\r'* | *$'\n'*)
        echo "::error::\`name\` is $(printf %q "$name"), but it cannot contain line breaks or \" : < > | * ? \\ / ,"
        printf '%s\n' code=2 verdict=not-played commentable=false >>"$GITHUB_OUTPUT"
        exit 0
        ;;
esac
# Both are kept for a later job at these paths: a run requires the same binaries.
export HONE_CACHE=$home/kept/cache
runs=$home/kept/runs
mkdir -p "$runs"
# The archive contains this folder, which prebuilt engines do not create.
(umask 077 && mkdir -p "$HONE_CACHE/builds")

part=
[ -z "$shard" ] || part=-shard-${shard%/*}-of-${shard#*/}
run=$runs/$name$part
summary=$home/$name$part.md
rm -f "$summary"

# A value of the event, or nothing.
event() {
    [ ! -e "${GITHUB_EVENT_PATH:-}" ] || jq -r "$1 // empty" "$GITHUB_EVENT_PATH"
}

# Whether HEAD is the change merged into its base. A change may end with a merge too.
is_merged() {
    local change head
    change=$(git rev-parse --quiet --verify HEAD^2) || return 1
    [ "${GITHUB_EVENT_NAME:-}" != push ] || return 1
    head=$(event .pull_request.head.sha)
    [ -z "$head" ] || [ "$head" = "$change" ]
}

# INPUT_DEV, by default the change: if the merge has the same files, the commit of the change
# itself, whose message may have its bench.
dev() {
    if [ -n "${INPUT_DEV:-}" ]; then
        echo "$INPUT_DEV"
    elif is_merged && git diff --quiet HEAD^2 HEAD --; then
        echo git:HEAD^2
    else
        echo git:HEAD
    fi
}

# The commit before a push. A new branch or tag has none, and a forced push may leave it out of the
# clone: then where HEAD left the default branch, or the commit before HEAD.
before_push() {
    local before fork reason="the push has made a new branch or tag"
    before=$(event .before)
    case "$before" in
        "" | 0000000*) ;;
        *)
            if git cat-file -e "$before^{commit}" 2>/dev/null; then
                echo "$before"
                return
            fi
            reason="the commit before the push, $before, is not in this clone"
            ;;
    esac
    fork=$(git merge-base HEAD "origin/$(event .repository.default_branch)" 2>/dev/null) || fork=
    if [ -z "$fork" ] || [ "$fork" = "$(git rev-parse HEAD)" ]; then
        fork=HEAD^1
    fi
    echo "::notice::$reason: the base is $fork" >&2
    # The commit: a later push of a branch or tag at the same place is the same test.
    git rev-parse --quiet --verify "$fork^{commit}" || echo "$fork"
}

# INPUT_BASE, by default the commit before the change.
base() {
    local before tip
    if [ -n "${INPUT_BASE:-}" ]; then
        echo "$INPUT_BASE"
    elif [ "${GITHUB_EVENT_NAME:-}" = push ]; then
        before=$(before_push)
        echo "git:$before"
    elif [ "${GITHUB_EVENT_NAME:-}" = merge_group ]; then
        # The group may have several pull requests, and each of them several commits.
        echo "git:$(event .merge_group.base_sha)"
    elif is_merged; then
        echo git:HEAD^1
    else
        # The change itself is checked out, with all its commits.
        tip=$(event .pull_request.base.sha)
        tip=${tip:-HEAD^1}
        echo "git:$(git merge-base HEAD "$tip" || echo "$tip")"
    fi
}

# Whether the further arguments or the configuration say what becomes of a verdict with findings.
decides_on_findings() {
    {
        printf '%s\n' "${INPUT_ARGUMENTS:-}"
        [ -z "${INPUT_CONFIG:-}" ] || cat "$INPUT_CONFIG"
    } 2>/dev/null | grep '^[^#]*on_finding' >/dev/null
}

# The arguments of `hone sprt`, in the array `arguments`, and the `question`.
test_arguments() {
    arguments=()
    [ -z "${INPUT_CONFIG:-}" ] || arguments+=("$INPUT_CONFIG")
    local limit=${INPUT_LIMIT:-} profile=${INPUT_PROFILE:-}
    if [ -z "${INPUT_CONFIG:-}" ]; then
        limit=${limit:-nodes=20000}
        profile=${profile:-non-regression}
    fi
    if [ -z "${INPUT_CONFIG:-}" ] || [ -n "${INPUT_DEV:-}${INPUT_BASE:-}" ]; then
        arguments+=(--dev "$(dev)" --base "$(base)")
    fi
    conditions "$limit"
    [ -z "$profile" ] || arguments+=(--profile "$profile")
    if ! decides_on_findings; then
        arguments+=(--set match.on_finding=undecided)
    fi
    further
    # What is tested; how many games are played at a time does not belong to it.
    question=$(printf '%s\n' "${arguments[@]}")
    [ -z "${INPUT_CONCURRENCY:-}" ] || arguments+=(--concurrency "$INPUT_CONCURRENCY")
}

# The arguments of `hone track`, in the array `arguments`. Fails if an input is not for it.
track_arguments() {
    local unused=
    [ -z "${INPUT_DEV:-}" ] || unused+=" dev"
    [ -z "${INPUT_BASE:-}" ] || unused+=" base"
    [ -z "${INPUT_PROFILE:-}" ] || unused+=" profile"
    [ -z "$shard" ] || unused+=" shard"
    if [ -n "$unused" ]; then
        echo "::error::mode nightly does not have the inputs$unused: remove them"
        return 1
    fi
    if [ -z "${INPUT_CONFIG:-}" ]; then
        echo "::error::mode nightly needs the input config"
        return 1
    fi
    arguments=("$INPUT_CONFIG" --out "$run")
    conditions "${INPUT_LIMIT:-}"
    [ -z "${INPUT_CONCURRENCY:-}" ] || arguments+=(--concurrency "$INPUT_CONCURRENCY")
    further
    case $'\n'${INPUT_ARGUMENTS:-} in
        *$'\n--out' | *$'\n--out'[=$'\r\n']*)
            echo "::error::\`arguments\` has --out: use the input results, whose folder the cache keeps"
            return 1
            ;;
    esac
}

# The inputs of both commands, added to `arguments`. The limit is the first parameter.
conditions() {
    [ -z "${INPUT_BUILD:-}" ] || arguments+=(--build "$INPUT_BUILD")
    [ -z "${INPUT_CMD:-}" ] || arguments+=(--cmd "$INPUT_CMD")
    [ -z "${INPUT_BOOK:-}" ] || arguments+=(--book "$INPUT_BOOK")
    [ -z "$1" ] || arguments+=(--limit "$1")
}

# One argument a line.
further() {
    local line
    while IFS= read -r line; do
        line=${line%$'\r'}
        [ -z "$line" ] || arguments+=("$line")
    done <<<"${INPUT_ARGUMENTS:-}"
}

# Whether the run that an earlier job has kept is of this test, and not of another one. A job
# without inputs of its own continues the run.
is_same_test() {
    local asked=${INPUT_CONFIG:-}${INPUT_DEV:-}${INPUT_BASE:-}${INPUT_BUILD:-}${INPUT_CMD:-}
    asked+=${INPUT_BOOK:-}${INPUT_LIMIT:-}${INPUT_PROFILE:-}${INPUT_ARGUMENTS:-}
    if [ ! -e "$run/run.toml" ] || [ ! -e "$run.arguments" ]; then
        echo "$question" >"$run.arguments"
    elif [ -n "$asked" ] && [ "$(cat "$run.arguments")" != "$question" ]; then
        echo "::error::an earlier job has kept another test of this commit under the name $name: give this one another \`name\`"
        run=$home/refused
        return 1
    fi
}

resume_or() {
    if [ -e "$run/run.toml" ]; then
        "$HONE" resume "$run" --max-time "$max_time" --summary "$summary"
    else
        "$@" --max-time "$max_time" --out "$run" --summary "$summary"
    fi
}

# Relative paths: on Windows, tar takes `C:` in a path for the name of a host.
pack() {
    (cd "$home" && tar czf "$@")
}

# Unpacks a shard's archive. One that is damaged leaves no part of a run.
unpack() {
    if ! (cd "$home" && tar tzf "$1") >/dev/null 2>&1; then
        echo "::warning::$1 cannot be unpacked: its shard counts as missing"
        return
    fi
    (cd "$home" && tar xzf "$1")
}

# Appends the summary to the job's page.
show_summary() {
    [ -z "${GITHUB_STEP_SUMMARY:-}" ] || cat "$summary" >>"$GITHUB_STEP_SUMMARY"
}

max_time=${INPUT_MAX_TIME:-60m}
code=0
lacks_shards=
case "$mode" in
    sprt)
        test_arguments
        [ -z "$shard" ] || arguments+=(--shard "$shard")
        if is_same_test; then
            resume_or "$HONE" sprt "${arguments[@]}" || code=$?
        else
            code=2
        fi
        ;;
    build)
        # A trial that builds the engines and checks that each answers; the shards use the builds.
        test_arguments
        trial=$home/trial
        rm -rf "$trial"
        "$HONE" sprt "${arguments[@]}" --max-time 1s --out "$trial" \
            --summary "$summary" || code=$?
        # Its result does not count.
        case "$code" in 1 | 3) code=0 ;; esac
        ;;
    pool)
        shards=()
        # A single artifact may come without a folder of its own.
        for archive in "$home"/shards/*.tar.gz "$home"/shards/*/*.tar.gz; do
            [ -e "$archive" ] || continue
            unpack "${archive#"$home"/}"
        done
        for folder in "$runs/$name"-shard-*; do
            [ ! -e "$folder/run.toml" ] || shards+=("$folder")
        done
        if [ ${#shards[@]} = 0 ]; then
            echo "::error::no shard of $name has uploaded a run that can be unpacked: see the jobs of the shards"
            code=4
            lacks_shards=yes
        else
            # The job's page has one summary, the last one.
            env -u GITHUB_STEP_SUMMARY "$HONE" pool "${shards[@]}" --out "$run" \
                --summary "$summary" || code=$?
            if [ "$code" = 3 ]; then
                # Plays the pairs of missing shards.
                code=0
                "$HONE" resume "$run" --max-time "$max_time" --summary "$summary" || code=$?
            elif [ -s "$summary" ]; then
                show_summary
            fi
        fi
        ;;
    nightly)
        run=${INPUT_RESULTS:-results}
        if track_arguments; then
            # An unfinished night of an earlier job continues. A step after this one keeps the
            # nights for a later job, even if this job is cancelled.
            "$(dirname "$0")/nights.sh" restore
            "$HONE" track "${arguments[@]}" --max-time "$max_time" --summary "$summary" || code=$?
            "$HONE" builds prune --older-than 14d || true
        else
            code=2
        fi
        ;;
    *)
        echo "::error::mode is sprt, build, pool or nightly, not $mode"
        code=2
        ;;
esac

case "$code" in
    0) verdict=passed ;;
    1) verdict=failed ;;
    3) verdict=undecided ;;
    *) verdict=not-played ;;
esac
if [ ! -s "$summary" ]; then
    if [ -e "$run/report.md" ] && [ "$mode" = pool ]; then
        cp "$run/report.md" "$summary"
    else
        printf '## hone: %s\n\nExit code %s; the log of this job has the reason.\n' \
            "$verdict" "$code" >"$summary"
    fi
    show_summary
fi

{
    echo "code=$code"
    echo "verdict=$verdict"
    echo "run=$run"
    echo "summary=$summary"
    # A shard has no verdict. If no shard has a run, the log of the failed job has the reason.
    if [ -n "$shard$lacks_shards" ] || [ "$mode" = nightly ] || { [ "$mode" = build ] && [ "$code" = 0 ]; }; then
        echo "commentable=false"
    else
        echo "commentable=true"
    fi
} >>"$GITHUB_OUTPUT"

# An archive, because artifacts lose the permission to execute.
if [ "$mode" != nightly ] && [ -e "$run/run.toml" ]; then
    archive=$home/hone-$name$part.tar.gz
    pack "hone-$name$part.tar.gz" "kept/runs/$name$part" kept/cache/builds
    echo "artifact=hone-$name$part" >>"$GITHUB_OUTPUT"
    echo "archive=$archive" >>"$GITHUB_OUTPUT"
fi
