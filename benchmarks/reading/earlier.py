"""Asks a small language model about tool results that repeat earlier ones, in full and with references to them.

See README.md beside this file.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from questions import Question
from reading import ROOT
from texts import Case, Result, by_form, chosen, compressor, grouped, options, run

COMMAND = f"{ROOT}/target/release/tersely compress --body --loss none --provider anthropic"
KINDS = {
    "behind": "stands behind a reference",
    "named": "the same, its file named",
    "place": "its line number",
    "shown": "is new and shown",
    "before": "stands in an earlier result",
    "change": "what changed",
}


def text(spec: dict[str, Any], before: list[str]) -> str:
    """What a tool said: lines, or those of an earlier result with changes, numbered as a file read is."""
    said = before[spec["again"]] if "again" in spec else "\n".join(spec["lines"])
    for old, new in spec.get("replace", []):
        if said.count(old) != 1:
            raise ValueError(f"{spec['id']}: {old!r} does not stand there once")
        said = said.replace(old, new)
    return "\n".join([said, *spec.get("below", [])])


def shown(spec: dict[str, Any], said: str) -> str:
    """A text as the tool shows it."""
    lines = list(enumerate(said.split("\n"), start=1))
    first, last = spec.get("part", (1, len(lines)))
    return "\n".join(f"{at}\t{line}" if spec.get("numbered") else line for at, line in lines[first - 1 : last])


def results(specs: list[dict[str, Any]]) -> list[str]:
    """All results of a conversation."""
    said: list[str] = []
    for spec in specs:
        said.append(text(spec, said))
    return [shown(spec, one) for spec, one in zip(specs, said)]


def body(specs: list[dict[str, Any]], said: list[str]) -> str:
    """The request that carries results."""
    messages = []
    for spec, one in zip(specs, said):
        use = {"type": "tool_use", "id": spec["id"], "name": spec["tool"], "input": spec["input"]}
        result = {"type": "tool_result", "tool_use_id": spec["id"], "content": one}
        messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    return json.dumps({"model": "any", "max_tokens": 1, "messages": messages})


def written(specs: list[dict[str, Any]], said: list[str], compress: Callable[[str], str]) -> list[str]:
    """What is sent for the results of one request."""
    messages = json.loads(compress(body(specs, said)))["messages"]
    return [part["content"] for message in messages[1::2] for part in message["content"]]


def told(specs: list[dict[str, Any]], said: list[str]) -> str:
    """A conversation as the model sees it."""
    heads = [f"Result of {spec['id']} ({spec['tool']} {next(iter(spec['input'].values()))}):" for spec in specs]
    return "\n\n".join(f"{head}\n{one}" for head, one in zip(heads, said))


def case(spec: dict[str, Any], compress: Callable[[str], str]) -> Case | None:
    """A conversation whose results know nothing of each other, and the same one with references."""
    specs, said = spec["results"], results(spec["results"])
    alone = [written([one], [data], compress)[0] for one, data in zip(specs, said)]
    together = written(specs, said, compress)
    if alone == together:
        sys.stderr.write(f"{spec['name']}: refers to nothing\n")
        return None
    asked = [question(spec["name"], ask) for ask in spec["questions"]]
    return Case(spec["name"], spec["form"], told(specs, alone), told(specs, together), asked)


def question(name: str, ask: dict[str, Any]) -> Question:
    """One question as it is written down."""
    return Question(name, ask["kind"], False, ask["ask"], ask["truth"], tuple(ask["rivals"]))


def of_kind(found: Result, kind: str) -> Result:
    """The part of a result that is about questions of one kind."""
    asked = found.case.questions
    wanted = [at for at, one in enumerate(asked) if one.kind == kind]
    before, after = ([scores[at] for at in wanted] for scores in (found.before, found.after))
    return Result(replace(found.case, questions=[asked[at] for at in wanted]), found.sizes, before, after)


def by_kind(found: list[Result]) -> dict[str, list[Result]]:
    """Results by what is asked for."""
    parted = {name: [of_kind(result, kind) for result in found] for kind, name in KINDS.items()}
    asked = {name: [part for part in parts if part.before] for name, parts in parted.items()}
    return {name: parts for name, parts in asked.items() if parts}


def page(found: list[Result], model: str) -> str:
    """The whole report."""
    parts = ["# Reading references", f"Model: {model}. Paired by question.", grouped("what repeats", by_form(found))]
    parts += ["## By what the answer is", grouped("the answer", by_kind(found))]
    parts += ["## By conversation", grouped("conversation", {result.case.name: [result] for result in found})]
    return "\n\n".join(parts) + "\n"


def main() -> None:
    """Run the benchmark."""
    args = options(__doc__, COMMAND).parse_args()
    tried = [case(spec, compressor(args.command)) for spec in chosen(args, "earlier.json")]
    cases = [found for found in tried if found]
    if not cases:
        raise SystemExit("none of these conversations repeats anything")
    run(args, cases, page)


if __name__ == "__main__":
    main()
