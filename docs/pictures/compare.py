"""Draws docs/pictures/compare.svg: a tool result beside what the model reads instead.

    python3 docs/pictures/compare.py            writes it, and compare-narrow.svg for small screens
    python3 docs/pictures/compare.py --check    fails if they are not what would be written

Text and counts come from the example in docs/start.md, which docs/snippets/run.py runs with the real program and compares.
"""

import re
import sys
from html import escape
from pathlib import Path

HERE = Path(__file__).resolve().parent
LINE, PANEL, TOP = 16, 444, 44  # pixels
STYLE = """
.card{fill:#ffffff;stroke:#d0d7de}.line{stroke:#d0d7de}.text{fill:#1f2328}.pale{fill:#6a737d}.fact{fill:#0550ae}.less{fill:#116329}
@media (prefers-color-scheme:dark){.card{fill:#0d1117;stroke:#3d444d}.line{stroke:#3d444d}.text{fill:#e6edf3}.pale{fill:#9198a1}.fact{fill:#79c0ff}.less{fill:#56d364}}
.code{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;white-space:pre}
.head{font:600 14px system-ui,sans-serif}.tokens{font:600 14px system-ui,sans-serif}.large{font:700 30px system-ui,sans-serif}.small{font:14px system-ui,sans-serif}
"""
# A key or a bracket of JSON, which the right side does without.
NOTATION = re.compile(r'^(\s*(?:"\w+": )?"?)(.*?)("?,?)$')


def example(page):
    """The tool result, the text that is sent for it, and the tokens of both."""
    before = re.search(r"<<'EOF_JSON'\n(.*?\n)EOF_JSON\n", page, re.DOTALL)
    after = re.search(r"```text\nstage .*?\nall +(\d+) +(\d+) .*?\n(.*?)```", page, re.DOTALL)
    if not before or not after:
        sys.exit("docs/start.md has no example with a JSON document and what `tersely compress --explain` prints")
    return before[1].splitlines(), after[3].splitlines(), int(after[1]), int(after[2])


def text(left, top, parts, kind="code"):
    """One line: pieces of text, each with a colour."""
    spans = "".join(f'<tspan class="{colour}">{escape(piece)}</tspan>' for piece, colour in parts if piece)
    return f'<text x="{left}" y="{top}" class="{kind}" xml:space="preserve">{spans}</text>'


def printed(line):
    """A line of JSON: the value stands out, what surrounds it is pale."""
    around, value, end = NOTATION.match(line).groups()
    return [(line, "pale")] if not re.search(r"\w", value) else [(around, "pale"), (value, "text"), (end, "pale")]


def read(line):
    """A line that the model reads: said once for all records, a record, or the decoder's line."""
    colour = "text" if line.startswith("{") else "pale" if line.startswith("[") else "fact"
    return [(line, colour)]


def panel(left, top, head, tokens, lines):
    """A heading, and the lines below it."""
    parts = [text(left, top + 26, [(head, "text")], "head"),
             f'<text x="{left + PANEL - 36}" y="{top + 26}" text-anchor="end" class="tokens pale">{tokens} tokens</text>']
    return parts + [text(left, top + TOP + (at + 1) * LINE, line) for at, line in enumerate(lines)]


def drawn(result, sent, before, after, *, narrow):
    """The picture: side by side, or one below the other."""
    share = f"\u2212{100 * (before - after) / before:.0f} %"
    tall, short = TOP + len(result) * LINE + 20, TOP + len(sent) * LINE + 20
    left, top = (18, tall) if narrow else (PANEL + 18, 0)
    verdict = top + short + (24 if narrow else 58)
    width, height = (PANEL, verdict + 46) if narrow else (2 * PANEL, tall)
    rule = f'<path d="M18 {tall}H{PANEL - 18}" class="line"/>' if narrow else f'<path d="M{PANEL} 16V{tall - 16}" class="line"/>'
    told = (f"A tool printed {len(result)} lines of JSON, {before} tokens. The model reads {len(sent)} lines, {after} tokens, {share}, "
            "which decode to the original byte for byte.")
    body = [
        *panel(18, 0, "What the tool printed", before, [printed(line) for line in result]),
        rule,
        *panel(left, top, "What the model reads", after, [read(line) for line in sent]),
        text(left, verdict, [(share, "less")], "large"),
        text(left, verdict + 26, [("This example loses nothing: it decodes byte for byte.", "text")], "small"),
    ]
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" aria-label="{escape(told)}">'
            f"<style>{STYLE}</style>\n"
            f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8" class="card"/>\n' + "\n".join(body) + "\n</svg>\n")


if __name__ == "__main__":
    found = example((HERE.parent / "start.md").read_text(encoding="utf-8"))
    for name, narrow in (("compare.svg", False), ("compare-narrow.svg", True)):
        file, picture = HERE / name, drawn(*found, narrow=narrow)
        if sys.argv[1:] != ["--check"]:
            file.write_text(picture, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != picture:
            sys.exit(f"docs/pictures/{name} is not what docs/start.md says: python3 docs/pictures/compare.py")
    # Those who do not see the picture read the same numbers.
    words = f"A tool printed {len(found[0])} lines of JSON, {found[2]} tokens. The model reads {len(found[1])} lines, {found[3]} tokens,"
    for page in (HERE.parent.parent / "README.md", HERE.parent / "README.md"):
        if words not in page.read_text(encoding="utf-8"):
            sys.exit(f"{page}: the picture's text should begin with: {words}")
