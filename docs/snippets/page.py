"""Reads a page: its fenced blocks, the file that a block is meant to become, and the code inside sentences."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

FENCE = re.compile(r"^(?P<indent>\s*)(?P<marks>`{3,}|~{3,})(?P<info>[^`]*)$")
# "…use this file, `releases.json`:" names the block below it.
NAMED = re.compile(r"`([\w.~/-]+\.\w+)`[^`]*:\s*$")
# So does a comment in the block's first line: `# ~/.config/tersely/filters/deploy.toml`.
OPENING = re.compile(r"^(?:#|//)\s*(~?[\w./-]*/?[\w-]+\.\w+)\s*$")
INLINE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")


@dataclass
class Block:
    """A fenced block, and what stands around it."""

    page: str
    line: int
    language: str
    text: str
    lead: str
    section: int
    heading: str = ""
    after: Block | None = field(default=None, repr=False)

    @property
    def name(self) -> str | None:
        """The file that the block is the content of, if the page says so."""
        if self.language in ("sh", "console", "text"):
            return None
        found = NAMED.search(self.lead) or OPENING.match(self.text.split("\n", 1)[0])
        return found[1] if found else None

    @property
    def place(self) -> str:
        """Where a reader finds it."""
        return f"{self.page}:{self.line}"


@dataclass
class Page:
    """A page as far as it can be wrong."""

    path: str
    blocks: list[Block]
    inline: list[tuple[int, str]]


def read(root: Path, path: Path) -> Page:
    """Reads one page."""
    name, blocks, inline = str(path.relative_to(root)), [], []
    lead, section, heading, fence, begun = "", 0, "", None, 0
    body: list[str] = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        mark = FENCE.match(line)
        if fence:
            if mark and mark["marks"].startswith(fence["marks"]) and not mark["info"].strip():
                text = "\n".join(one.removeprefix(fence["indent"]) for one in body) + "\n"
                words = fence["info"].replace(",", " ").split()
                before = blocks[-1] if blocks and blocks[-1].section == section else None
                blocks.append(Block(name, begun, words[0] if words else "", text, lead, section, heading, before))
                fence, lead = None, ""
            else:
                body.append(line)
        elif mark:
            fence, begun, body = mark, number, []
        else:
            if line.startswith("#"):
                section, heading = section + 1, line.lstrip("#").strip()
            if line.strip():
                lead = line
            inline += [(number, found[2].strip().replace("\\|", "|")) for found in INLINE.finditer(line)]
    if fence:
        raise SystemExit(f"{name}:{begun}: this block has no end: close it with {fence['marks']}")
    return Page(name, blocks, inline)
