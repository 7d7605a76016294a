"""Holds the installed Python package to what `packages.rs` of crates/codec and of crates/testing write."""

import json
import sys
from collections.abc import Iterator

import tersely

FORMS = ("stc", "terse")


def main(pairs: str, sent: str) -> None:
    documents = list(_lines(pairs))
    faults = sum(not _reads(pair, form, named) for pair in documents for form in FORMS for named in (form, None))
    print(f"{len(documents)} documents in {' and '.join(FORMS)}: {faults} faults")
    found = [_restored(output) for output in _lines(sent)]
    wrong = found.count("wrong")
    print(f"{found.count('restored')} outputs restored, {found.count('program')} for the program to restore, {wrong} wrong")
    if faults or wrong or not documents or "restored" not in found:
        sys.exit(1)


def _lines(path: str) -> Iterator[dict[str, str]]:
    with open(path, encoding="utf-8", newline="\n") as lines:
        yield from map(json.loads, lines)


def _reads(pair: dict[str, str], form: str, named: str | None) -> bool:
    """True when the document comes back from its text in `form`, be the form named or found out."""
    try:
        found = tersely.to_json(pair[form], form=named)
    except tersely.DecodeError as fault:
        found = str(fault)
    if found != pair["json"]:
        print(f"{pair['name']} as {form}: {found[:200]}")
    return found == pair["json"]


def _restored(output: dict[str, str]) -> str:
    """What becomes of an output as it is sent."""
    try:
        found = tersely.restore(output["sent"])
    except tersely.DecodeError as fault:
        found = str(fault)
        if "tersely decode" in found:
            return "program"
    if found != output["original"]:
        print(f"{output['name']} came back as {found[:200]}")
    return "restored" if found == output["original"] else "wrong"


if __name__ == "__main__":
    main(*sys.argv[1:])
