"""Draws terminal text (UTF-8, with SGR colour sequences) as SVG: terminal.py FILE > PICTURE"""

import re
import sys
from xml.sax.saxutils import escape

COLUMN, LINE, MARGIN, FONT = 8.4, 19, 16, 14
BACKGROUND, FOREGROUND = "#1b1f27", "#d7dce5"
COLOURS = ["#5c6370", "#f07178", "#a5d86e", "#e5c07b", "#61afef", "#c792ea", "#56b6c2", "#ffffff"]


def spans(line):
    """(column, style, text) of each part of a line that has one style."""
    column, style, parts = 0, {}, []
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        if part.startswith("\x1b"):
            for code in (int(code or 0) for code in part[2:-1].split(";")):
                if code == 0:
                    style = {}
                elif code == 1:
                    style = style | {"font-weight": "bold"}
                elif code == 2:
                    style = style | {"fill-opacity": "0.7"}
                elif code == 39:
                    style = {name: value for name, value in style.items() if name != "fill"}
                elif 30 <= code <= 37 or 90 <= code <= 97:
                    style = style | {"fill": COLOURS[code % 10]}
        elif part:
            parts.append((column, style, part))
            column += len(part)
    return parts


lines = open(sys.argv[1], encoding="utf-8").read().rstrip().split("\n")
while lines and not lines[-1].strip():
    lines.pop()
columns = max(sum(len(text) for _, _, text in spans(line)) for line in lines)
width, height = round(columns * COLUMN + 2 * MARGIN), len(lines) * LINE + 2 * MARGIN
print(
    f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{height}" '
    f'viewBox="0 0 {width} {height}">\n'
    "<title>hone in a terminal: the scoreboard during a test and its result</title>\n"
    f'<rect width="{width}" height="{height}" rx="8" fill="{BACKGROUND}"/>\n'
    f'<g font-family="ui-monospace, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" '
    f'font-size="{FONT}" fill="{FOREGROUND}">'
)
for number, line in enumerate(lines):
    for column, style, text in spans(line):
        if not text.strip():
            continue
        # textLength keeps the columns aligned in any monospaced font, and
        # no-break spaces are not collapsed.
        attributes = "".join(f' {name}="{value}"' for name, value in style.items())
        content = escape(text).replace(" ", "\u00a0")
        print(
            f'<text x="{MARGIN + column * COLUMN:.1f}" y="{MARGIN + number * LINE + FONT}" '
            f'textLength="{len(text) * COLUMN:.1f}" lengthAdjust="spacingAndGlyphs"{attributes}>'
            f"{content}</text>"
        )
print("</g>\n</svg>")
