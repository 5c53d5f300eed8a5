#!/usr/bin/env bash
# Commits and pushes the files that a nightly has written, if they have changed.
# FROM=TO copies a file to another place first.
set -euo pipefail

read -r -a words <<<"${INPUT_PUBLISH:?}"
files=()
for word in "${words[@]}"; do
    case "$word" in
        *=*)
            mkdir -p "$(dirname "${word#*=}")"
            cp "${word%%=*}" "${word#*=}"
            ;;
    esac
    files+=("${word#*=}")
done
git add --force -- "${files[@]}"
if git diff --cached --quiet; then
    echo "nothing new to publish"
    exit 0
fi
git -c user.name=hone -c user.email=hone@users.noreply.github.com \
    commit --quiet --message "Nightly Elo of $(git log -1 --format=%h)"
for _ in 1 2 3; do
    git pull --rebase --quiet
    if git push --quiet; then
        exit 0
    fi
done
echo "::error::the nightly's files could not be pushed"
exit 1
