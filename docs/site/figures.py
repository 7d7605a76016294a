"""Checks that what the first pages claim is measured: every percentage and every count of README.md and docs/README.md with a decimal point is in docs/measurements.md, or in a record that the page links to.

    python3 docs/site/figures.py
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# Versions (0.42.0) and dates are no figures.
FIGURE = re.compile(r"(?<![\d.])-?\d+\.\d+(?![\d.])")
MORE = [ROOT / "docs" / "faq.md"]


def sources(page, text):
    """What a page may take its figures from: the measurements, the comparisons with others, and the records that it links to."""
    linked = [(page.parent / link).resolve() for link in re.findall(r"\]\(([^)#\s]*record/[^)#\s]+\.md)\)", text)]
    return "\n".join(file.read_text(encoding="utf-8") for file in [ROOT / "docs" / "measurements.md", *MORE, *linked])


def main():
    """The command line."""
    missing = []
    for page in (ROOT / "README.md", ROOT / "docs" / "README.md"):
        text = page.read_text(encoding="utf-8")
        known = set(FIGURE.findall(sources(page, text)))
        missing += [f"{page.relative_to(ROOT)}: {figure} is in no measurement" for figure in dict.fromkeys(FIGURE.findall(text)) if figure not in known]
    if missing:
        sys.exit("\n".join(missing))


if __name__ == "__main__":
    main()
