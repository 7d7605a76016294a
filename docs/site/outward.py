"""Points links that leave docs/ at the repository, so that pages work on the site as they do there. mdBook runs it: `[preprocessor.outward]` in book.toml."""

import json
import posixpath
import re
import sys

REPOSITORY = "https://github.com/tersely/tersely/blob/main/"
# `](target)` in a line, and `[name]: target` at the foot of a page.
LINK = re.compile(r"(\]\(|^\[[^\]]+\]:\s+)((?:\.\./)+[^)\s]*)")


def turned(page, text):
    """The text of a page, with links out of docs/ as addresses; code stays as it is."""
    folder, lines, fenced = posixpath.dirname(page), [], False
    for line in text.split("\n"):
        fenced ^= line.lstrip().startswith("```")
        lines.append(line if fenced else LINK.sub(lambda link: link[1] + outward(folder, link[2]), line))
    return "\n".join(lines)


def outward(folder, target):
    """A link from a page in a folder of docs/: an address if it leads out of docs/, else as it is."""
    path = posixpath.normpath(posixpath.join("docs", folder, target))
    return target if path.startswith("docs/") else REPOSITORY + path


def walk(items):
    """Turns the links of all chapters, those of chapters in chapters too."""
    for item in items:
        chapter = item.get("Chapter") if isinstance(item, dict) else None
        if chapter:
            chapter["content"] = turned(chapter["source_path"] or "", chapter["content"])
            walk(chapter["sub_items"])


if __name__ == "__main__":
    if sys.argv[1:2] == ["supports"]:
        sys.exit(0)
    _, book = json.load(sys.stdin)
    walk(book["items"])
    json.dump(book, sys.stdout)
