#!/usr/bin/env bash
# Makes the pictures in README.md from a run of configs/quickstart.toml:
#   scoreboard.svg  the terminal during the run and after it
#   report.png      the top of the run's report.html
#   serve.png       the top of its page of `hone serve`, during the run
# Needs tmux, python3 and chromium: apt-get install tmux python3 chromium
set -euo pipefail
cd "$(dirname "$0")/../.."

export PATH="$PWD/target/quick:$PATH"
cargo build --profile quick --bin hone

work=$(mktemp -d)
run=$work/quickstart
terminal=(tmux -L "hone-pictures-$$")
hone serve "$work" --listen 127.0.0.1:0 2>"$work/serve.log" &
server=$!
trap 'kill $server 2>/dev/null || true; "${terminal[@]}" kill-server 2>/dev/null || true; rm -rf "$work"' EXIT
picture() { # FILE ADDRESS
    chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --timeout=4000 \
        --window-size=1200,1420 --screenshot="docs/images/$1" "$2" 2>"$work/chromium.log" ||
        { cat "$work/chromium.log" >&2; exit 1; }
}

command="hone sprt configs/quickstart.toml --out $run"
"${terminal[@]}" -f /dev/null new-session -d -x 132 -y 40 "$command; echo \$? >$work/code; sleep 60"

# One frame when at least 25 pairs are played, one when the run has ended.
capture() { "${terminal[@]}" capture-pane -ept 0; }
until [ -s "$work/code" ]; do
    sleep 0.5
    [ -s "$work/running" ] && continue
    capture >"$work/frame"
    pairs=$(sed -nE 's/^(.*[^0-9])?([0-9]+) of at most.*/\2/p' "$work/frame")
    ((${pairs:-0} < 25)) && continue
    mv "$work/frame" "$work/running"
    # While the games are being played.
    picture serve.png "$(grep -o 'http://[0-9.:]*' "$work/serve.log")/runs/quickstart"
done
capture >"$work/ended"
[ "$(cat "$work/code")" = 0 ] || { cat "$work/ended" >&2; exit 1; }

# The scoreboard and the result, without the lines above them (build, warnings).
{
    echo "\$ hone sprt configs/quickstart.toml"
    sed -n '/ of at most /,/ H1$/p' "$work/running"
    echo "…"
    sed -n '/^Results of /,$p' "$work/ended" | sed "s,$work/,results/,"
} >"$work/text"
python3 docs/images/terminal.py "$work/text" >docs/images/scoreboard.svg

picture report.png "file://$run/report.html"
ls -l docs/images
