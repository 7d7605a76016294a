"""Draws docs/pictures/savings.svg from the figures of docs/measurements.md.

    python3 docs/pictures/chart.py            writes it
    python3 docs/pictures/chart.py --check    fails if it is not what would be written
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PICTURE = HERE / "savings.svg"
EXACT, STANDARD = "exact", "standard"
STYLE = (".card{fill:#ffffff}text{fill:#1b1f24}.exact{fill:#7a9cc6}.standard{fill:#1f5a99}"
         "@media (prefers-color-scheme:dark){.card{fill:#0d1117}text{fill:#e6edf3}.exact{fill:#8fb3e0}.standard{fill:#3f7fc4}}")
WIDTH, LEFT, SCALE = 760, 280, 5.8


def figures(text):
    """The numbers of a row, by how its first cell begins."""
    rows = [line.split("|") for line in text.splitlines() if line.startswith("| ")]

    def row(begin, column=2):
        found = [cells[column] for cells in rows if cells[1].strip().startswith(begin)]
        if not found:
            sys.exit(f"docs/measurements.md has no row that begins with: {begin}")
        return [float(number) for number in re.findall(r"(\d+\.\d) %", found[0])]

    pair = row("tokens of single outputs saved", 2) + row("tokens of single outputs saved", 3)
    exact, standard = row("bill saved; median conversation", 2), row("bill saved; median conversation", 3)
    larger_exact, larger = row("share of the bill saved, exact forms only"), row("share of the bill saved, standard mode; median")
    unseen = row("24 unseen conversations")
    outputs = row("254 unseen outputs in two sets")
    return [
        ("Single tool results", None, None),
        ("72 unseen", *outputs[:2]),
        ("182 unseen", *outputs[2:]),
        ("102 in this repository", *pair),
        ("157 that we develop with", row("tokens saved, nothing lost")[0], row("tokens saved in standard mode")[0]),
        ("The whole bill", None, None),
        ("24 unseen conversations", None, unseen[0]),
        ("median of the 24", None, unseen[1]),
        ("8 conversations in this repository", exact[0], standard[0]),
        ("median of the 8", exact[1], standard[1]),
        ("37 that we develop with", larger_exact[0], larger[0]),
        ("median of the 37", larger_exact[1], larger[1]),
    ]


def bar(top, percent, kind, height):
    """A bar and its number."""
    width = percent * SCALE
    return (f'<rect x="{LEFT}" y="{top}" width="{width:.1f}" height="{height}" rx="2" class="{kind}"/>'
            f'<text x="{LEFT + width + 6:.1f}" y="{top + height - 3}" font-size="13">{percent:.1f} %</text>')


def drawn(rows):
    """The picture: a heading or a pair of bars to a row."""
    top, parts = 20, []
    for name, exact, standard in rows:
        if standard is None:
            top += 8 if parts else 0
            parts.append(f'<text x="16" y="{top + 16}" font-size="15" font-weight="bold">{name}</text>')
            top += 30
            continue
        height = 17
        total = height * (2 if exact is not None else 1)
        parts.append(f'<text x="{LEFT - 10}" y="{top + total / 2 + 5:.1f}" font-size="14" text-anchor="end">{name}</text>')
        if exact is not None:
            parts.append(bar(top, exact, EXACT, height))
        parts.append(bar(top + total - height, standard, STANDARD, height))
        top += total + 10
    key = [(EXACT, "exact: nothing lost", 16), (STANDARD, "standard: detail that the model can fetch back", 190)]
    for kind, words, left in key:
        parts.append(f'<rect x="{left}" y="{top + 8}" width="12" height="12" rx="2" class="{kind}"/>'
                     f'<text x="{left + 18}" y="{top + 19}" font-size="13">{words}</text>')
    height = top + 36
    told = "; ".join(f"{name}: " + ", ".join(f"{number:.1f} %" for number in numbers if number is not None) for name, *numbers in rows if numbers[1] is not None)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" aria-label="{told}" '
            f'font-family="system-ui, sans-serif"><style>{STYLE}</style><rect width="{WIDTH}" height="{height}" rx="8" class="card"/>' + "\n".join(parts) + "</svg>\n")


if __name__ == "__main__":
    picture = drawn(figures((HERE.parent / "measurements.md").read_text(encoding="utf-8")))
    if sys.argv[1:] == ["--check"]:
        if not PICTURE.exists() or PICTURE.read_text(encoding="utf-8") != picture:
            sys.exit("docs/pictures/savings.svg is not what docs/measurements.md says: python3 docs/pictures/chart.py")
    else:
        PICTURE.write_text(picture, encoding="utf-8")
