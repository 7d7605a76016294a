"""Writes JSON as it was laid out: `indent 2, arrays up to 80 on one line, newline`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .deep import Task, run
from .tree import Array, Node, Object, quote, scalar

# In the order in which a layout is told: one layout has one name, and any other is none.
_WORDS = re.compile(
    r"(?P<base>compact|spaced|rows|gathered rows|tabs|indent (?P<width>[0-9]|1[0-6]))"
    r"(?P<crlf>, crlf)?"
    r"(?:, (?P<rule>plain arrays|arrays|objects|arrays up to (?P<columns>80|100|120)) on one line"
    r"|, (?P<levels>1(?= level )|[0234](?= levels )) levels? on lines)?"
    r"(?:, except(?P<odd>(?: (?:0|[1-9][0-9]{0,18})){1,24}))?"
    r"(?:, (?P<colon>tight|spaced|wide) colons)?"
    r"(?:, (?P<comma>tight|spaced) commas)?"
    r"(?P<pad>, padded(?: when empty)?)?"
    r"(?:, (?P<escapes>ascii|html|script|strict))?"
    r"(?P<slashes>, slashes)?"
    r"(?P<capitals>, capitals)?"
    r'(?:, begins "(?P<before>(?: |\\[tnr]){1,16})")?'
    r'(?P<newline>, newline)?(?:, ends "(?!\\n")(?P<after>(?: |\\[tnr]){1,16})")?'
)
_TIGHT = ("compact", "rows", "gathered rows")
_COLONS = {"tight": ":", "spaced": ": ", "wide": " : "}
_COMMAS = {"tight": ",", "spaced": ", "}
# What is escaped beyond what must be. A character that is spelled by an escape already is matched with it.
_ESCAPED = {
    "": "",
    "ascii": r"|[^\x00-\x7f]",
    "html": "|[<>&\u2028\u2029]",
    "script": "|[<>&='\u2028\u2029]",
    "strict": r"|[<>&'+`\x7f]|[^\x00-\x7f]",
}


class Layout:
    """White space and escapes of a JSON text."""

    def __init__(self, words: re.Match[str]) -> None:
        base = words["base"]
        usual = "tight" if base in _TIGHT else "spaced"
        self.base = base
        self.step = "\t" if base == "tabs" else " " * int(words["width"]) if words["width"] else None
        """What each step further in adds to a line, where groups are on lines of their own."""
        self.newline = "\r\n" if words["crlf"] else "\n"
        self.rule = words["rule"]
        self.columns = int(words["columns"] or 0)
        self.levels = int(words["levels"]) if words["levels"] else None
        self.odd = [int(number) for number in (words["odd"] or "").split()]
        """The groups that are not laid out by the rule, by number: the first is 1, empty ones do not count."""
        self.colon = _COLONS[words["colon"] or usual]
        self.comma = _COMMAS[words["comma"] or usual]
        self.pad = " " if words["pad"] == ", padded" else ""
        self.empty = " " if words["pad"] else ""
        self.escapes = words["escapes"] or ""
        self.slashes = words["slashes"] is not None
        self.digits = "04X" if words["capitals"] else "04x"
        self.before = _blank(words["before"])
        self.after = "\n" if words["newline"] else _blank(words["after"])

    def breaks(self, node: Array | Object, level: int, column: int) -> bool:
        """True when the rule puts a group on lines of its own that stands in `level` others and would end at `column`."""
        if self.levels is not None:
            return level < self.levels
        if self.rule == "arrays":
            return isinstance(node, Object)
        if self.rule == "objects":
            return isinstance(node, Array)
        return self.rule is None or not _is_plain(node) or (self.columns > 0 and column > self.columns)


def read(words: str) -> Layout | None:
    """The layout that is told so; none if no program of ours tells any so."""
    found = _WORDS.fullmatch(words)
    if found is None or (found["newline"] and found["after"]):
        return None
    usual = "tight" if found["base"] in _TIGHT else "spaced"
    odd = [int(number) for number in (found["odd"] or "").split()]
    return None if usual in (found["colon"], found["comma"]) or odd != sorted(odd) else Layout(found)


def write(layout: Layout, node: Node, most: int) -> str | None:
    """`node` in this layout; none when that takes more than `most` bytes."""
    writer = _Writer(layout, most)
    try:
        run(writer.value(node, 0, 0))
    except _TooLongError:
        return None
    return layout.before + "".join(writer.out) + layout.after


def _blank(spelled: str | None) -> str:
    return (spelled or "").replace("\\t", "\t").replace("\\n", "\n").replace("\\r", "\r")


def _is_plain(node: Array | Object) -> bool:
    """True for an array that holds no other group."""
    return isinstance(node, Array) and not any(isinstance(item, (Array, Object)) for item in node.items)


class _TooLongError(Exception):
    """A text takes more bytes than it may."""


class _Writer:
    """A text being written."""

    def __init__(self, layout: Layout, most: int) -> None:
        self.layout = layout
        self.left = most - len(layout.before) - len(layout.after)
        self.out: list[str] = []
        self.column = len(layout.before)
        self.group = 0
        self.odd = 0
        self.level = 0
        escaped = r"\\u[0-9a-f]{4}|\\." + _ESCAPED[layout.escapes] + ("|/" if layout.slashes else "")
        self.escaped = re.compile(escaped)

    def put(self, text: str) -> None:
        """Writes some text."""
        self.left -= len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
        if self.left < 0:
            raise _TooLongError
        self.out.append(text)
        self.column += len(text)

    def value(self, node: Node, depth: int, follows: int) -> Task[None]:
        """Writes a value on a line that is `depth` steps in, with so many characters behind it at least."""
        if isinstance(node, str):
            self.put(self.string(node))
        elif not isinstance(node, (Array, Object)):
            self.put(scalar(node))
        else:
            opening, closing = "[]" if isinstance(node, Array) else "{}"
            self.put(opening)
            if node.items if isinstance(node, Array) else node.members:
                self.group += 1
                self.level += 1
                yield self.filled(node, depth, follows)
                self.level -= 1
            else:
                self.put(self.layout.empty)
            self.put(closing)

    def filled(self, node: Array | Object, depth: int, follows: int) -> Task[None]:
        """Writes what stands between the brackets."""
        odd = self.layout.odd[self.odd : self.odd + 1] == [self.group]
        self.odd += odd
        column = 0
        if self.layout.columns and _is_plain(node):
            column = self.column + self.width(node) + 1 + follows
        breaks = self.layout.step is not None and self.layout.breaks(node, self.level - 1, column) != odd
        yield self.lines(node, depth) if breaks else self.flat(node, depth)

    def width(self, node: Array | Object) -> int:
        """The characters of a plain array on one line, without its brackets."""
        items = node.items if isinstance(node, Array) else []
        cells = [self.string(item) if isinstance(item, str) else scalar(item) for item in items]
        return len(self.layout.comma.join(cells)) + 2 * len(self.layout.pad)

    def lines(self, node: Array | Object, depth: int) -> Task[None]:
        """Writes each part on a line of its own."""
        for is_last, key, part in _parts(node):
            self.line(depth + 1)
            self.key(key)
            yield self.value(part, depth + 1, 0 if is_last else 1)
            self.put("" if is_last else ",")
        self.line(depth)

    def flat(self, node: Array | Object, depth: int) -> Task[None]:
        """Writes all parts on one line."""
        layout = self.layout
        outer = {"rows": ",\n", "gathered rows": ", \n "} if self.level == 1 else {}
        self.put(layout.pad)
        for is_last, key, part in _parts(node):
            self.key(key)
            yield self.value(part, depth, 0 if is_last else 1)
            self.put("" if is_last else outer.get(layout.base, layout.comma))
        self.put(layout.pad)

    def key(self, key: str | None) -> None:
        """Writes a key and its colon, if there is one."""
        if key is not None:
            self.put(self.string(key) + self.layout.colon)

    def line(self, depth: int) -> None:
        """Begins a line."""
        self.put(self.layout.newline)
        self.column = 0
        self.put((self.layout.step or "") * depth)

    def string(self, text: str) -> str:
        """A string with the escapes of the layout."""
        return self.escaped.sub(self.escape, quote(text))

    def escape(self, found: re.Match[str]) -> str:
        """The spelling of a character that is not copied."""
        text = found[0]
        if text == "/":
            return "\\/"
        if text.startswith("\\u"):
            return f"\\u{int(text[2:], 16):{self.layout.digits}}"
        if text == '\\"' and self.layout.escapes == "strict":
            text = '"'
        if text.startswith("\\"):
            return text
        units = text.encode("utf-16-be")
        return "".join(f"\\u{units[at] << 8 | units[at + 1]:{self.layout.digits}}" for at in range(0, len(units), 2))


def _parts(node: Array | Object) -> Iterator[tuple[bool, str | None, Node]]:
    """The parts of a group: whether each is the last, its key if it has one, and its value."""
    parts: list[tuple[str | None, Node]] = (
        [(None, item) for item in node.items] if isinstance(node, Array) else list(node.members)
    )
    for index, (key, part) in enumerate(parts):
        yield index == len(parts) - 1, key, part
