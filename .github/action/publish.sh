#!/usr/bin/env bash
# Commits and pushes the files that a nightly has written, if they have changed.
# FROM=TO copies a file to another place first. A file that is missing is left out: the
# first night may have no result yet.
set -euo pipefail

# On one line or several.
read -r -d '' -a words <<<"${INPUT_PUBLISH:?}" || true

results=${INPUT_RESULTS:-results}
results=${results%/}

# The page links to the reports in the folder track. Without this folder it has no such links.
page=$results/elo.html
case " ${words[*]}" in
    *" $results/track"*) ;;
    *)
        if [ -e "$page" ] && [ -e "$results/elo.csv" ] && [ -d "$results/track" ]; then
            "$HONE" report "$results" --html "$HONE_HOME/elo.html" >/dev/null
            cp "$HONE_HOME/elo.html" "$page"
        fi
        ;;
esac

# It belongs to the table.
record=$results/elo.toml
case " ${words[*]} " in
    *" $results/elo.csv "*) [ ! -e "$record" ] || words+=("$record") ;;
esac

files=()
for word in "${words[@]}"; do
    if [ ! -e "${word%%=*}" ]; then
        echo "::notice::${word%%=*} does not exist and is not published"
        continue
    fi
    case "$word" in
        *=*)
            mkdir -p "$(dirname "${word#*=}")"
            cp "${word%%=*}" "${word#*=}"
            ;;
    esac
    files+=("${word#*=}")
done
[ ${#files[@]} = 0 ] || git add --force -- "${files[@]}"
if git diff --cached --quiet; then
    echo "nothing new to publish"
    exit 0
fi
# Also for the rebase, which commits again.
export GIT_AUTHOR_NAME=hone GIT_AUTHOR_EMAIL=hone@users.noreply.github.com
export GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL
git commit --quiet --message "Nightly Elo of $(git log -1 --format=%h)"
for _ in 1 2 3; do
    # The build or the night may have changed other files.
    if ! git pull --rebase --autostash --quiet; then
        git rebase --abort || true
    elif git push --quiet; then
        exit 0
    fi
done
echo "::error::the nightly's files could not be pushed"
exit 1
