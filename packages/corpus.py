"""Holds the installed Python package to the documents that `crates/codec/tests/packages.rs` writes."""

import json
import sys

import tersely

FORMS = ("stc", "terse")


def main(path: str) -> None:
    faults = documents = 0
    with open(path, encoding="utf-8", newline="\n") as lines:
        for line in lines:
            pair = json.loads(line)
            documents += 1
            for form in FORMS:
                for named in (form, None):
                    faults += not _reads(pair, form, named)
    print(f"{documents} documents in {' and '.join(FORMS)}: {faults} faults")
    if faults or not documents:
        sys.exit(1)


def _reads(pair: dict[str, str], form: str, named: str | None) -> bool:
    """True when the document comes back from its text in `form`, be the form named or found out."""
    try:
        found = tersely.to_json(pair[form], form=named)
    except tersely.DecodeError as fault:
        found = str(fault)
    if found != pair["json"]:
        print(f"{pair['name']} as {form}: {found[:200]}")
    return found == pair["json"]


if __name__ == "__main__":
    main(sys.argv[1])
