"""mdBook preprocessor: a link from docs/ to another file of the repository leads to that file.

On GitHub Actions this is the file of the built commit on GitHub, elsewhere the local file.
"""

import json
import os
import pathlib
import re
import sys

# Code comes first, so that a link inside it stays as it is.
LINK = re.compile(
    r"""
    ^[ >*+-]*(?P<fence>`{3,}|~{3,}).*?^[ >]*(?P=fence)  # a code block
    | (?P<ticks>`+)(?!`)(?:(?!\n\s*\n).)+?(?<!`)(?P=ticks)(?!`)  # a code span
    | (?P<before>\]\(<?|^[ ]*\[[^\]]+\]:[ ]*<?)\.\./  # a target, also of a reference
    """,
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)


def root():
    """The URL of the repository's files, with a slash at its end."""
    if "GITHUB_REPOSITORY" in os.environ:
        url = "{GITHUB_SERVER_URL}/{GITHUB_REPOSITORY}/blob/{GITHUB_SHA}/"
        return url.format_map(os.environ)
    return pathlib.Path(__file__).resolve().parent.parent.as_uri() + "/"


def chapter(item):
    """Changes the links of a chapter; other objects have no text."""
    if isinstance(item.get("content"), str):
        item["content"] = LINK.sub(
            lambda found: found["before"] + ROOT if found["before"] else found[0],
            item["content"],
        )
    return item


# mdBook asks whether a renderer is supported: each one is.
if sys.argv[1:2] != ["supports"]:
    ROOT = root()
    # Bytes, because the text is UTF-8 whatever the locale is.
    _, book = json.load(sys.stdin.buffer, object_hook=chapter)
    json.dump(book, sys.stdout)
