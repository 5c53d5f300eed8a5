#!/usr/bin/env bash
# Copies the folders of nights between RESULTS/track and the Action's cache. RESULTS is the
# input `results`.
#
#     nights.sh restore    the nights of which the cache has more games, to RESULTS/track
#     nights.sh keep       all nights, to the cache; also after a job that was cancelled
set -euo pipefail

home=${HONE_HOME:?}
results=${INPUT_RESULTS:-results}
results=${results%/}
track=$results/track
# Another folder of results has nights of its own.
kept=$home/kept/track
[ "$results" = results ] || kept+=-${results//\//-}

# The number of rows of a night's ledger, or -1 if it has no folder.
rows() {
    if [ -e "$1/games.csv" ]; then
        wc -l <"$1/games.csv"
    elif [ -d "$1" ]; then
        echo 0
    else
        echo -1
    fi
}

# Copies the nights of folder $1 that have more rows than those in folder $2 (operator $3:
# `-gt`), or as many (`-ge`).
copy_nights() {
    local night copy
    for night in "$1"/*/; do
        [ -d "$night" ] || continue
        night=${night%/}
        copy=$2/${night##*/}
        if test "$(rows "$night")" "$3" "$(rows "$copy")"; then
            # The night is replaced by renaming, so that an interruption leaves no part of one.
            rm -rf "$home/night" "$home/night.old"
            mkdir -p "$home" "$2"
            cp -a "$night" "$home/night"
            [ ! -e "$copy" ] || mv "$copy" "$home/night.old"
            mv "$home/night" "$copy"
            rm -rf "$home/night.old"
        fi
    done
}

# Removes the nights that the cache does not need to keep: their rows are committed. The
# last one has the configuration, which the page uses.
prune() {
    local night committed
    committed=$(git show "HEAD:./$results/elo.csv" 2>/dev/null | sed '$d' | cut -d , -f 1) || return 0
    for night in "$kept"/*/; do
        night=${night%/}
        ! grep -qxF -- "${night##*/}" <<<"$committed" || rm -rf "$night"
    done
}

case "${1:-}" in
    restore) copy_nights "$kept" "$track" -gt ;;
    keep)
        copy_nights "$track" "$kept" -ge
        prune
        ;;
    *)
        echo "usage: nights.sh restore|keep" >&2
        exit 2
        ;;
esac
