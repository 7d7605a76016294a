"""Scores answers by log-probability, and remembers scores so that a format costs its time only once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from engine import Continuation, Engine, Logits
from questions import Question

CLIP = 10.0
METHOD = "2"  # raise when the prompt or the scoring changes: old scores are then not reused


@dataclass(frozen=True)
class Score:
    """How one question went."""

    correct: bool
    exact: bool
    margin: float


def departures(truth: list[int], rivals: list[list[int]]) -> list[tuple[int, int]]:
    """For every rival the place of its first token that is not the truth's, and that token."""
    found = []
    for rival in rivals:
        at = next((i for i, (a, b) in enumerate(zip(truth, rival)) if a != b), None)
        if at is not None:
            found.append((at, rival[at]))
    return found


def opening(sequences: list[list[int]]) -> list[int]:
    """What all token sequences begin with."""
    first = sequences[0]
    same = (len({tuple(sequence[: i + 1]) for sequence in sequences}) == 1 for i in range(len(first)))
    return first[: next((i for i, yes in enumerate(same) if not yes), len(first))]


class Trial:
    """One question cut into tokens.

    Every rival is met on the truth's own path, so one evaluation serves them all. The difference of two logits at one
    place is the difference of the log-probabilities there. Exact asks whether greedy decoding, from the opening quote
    on, stays on the truth as far as the last place where a rival leaves it.
    """

    def __init__(self, engine: Engine, question: Question) -> None:
        self.ask = engine.tokens(question.ask)
        said = [engine.tokens(f'{question.ask} "{answer}"') for answer in (question.truth, *question.rivals)]
        self.truth = said[0]
        self.places = departures(self.truth, said[1:])
        self.last = max(at for at, _ in self.places)
        # The logits after token i speak of token i + 1.
        self.wanted = {*range(len(self.ask), self.last), *(at - 1 for at, _ in self.places)}

    def continuation(self, skip: int) -> Continuation:
        """What is to be evaluated behind a context that holds the first tokens already."""
        return self.truth[skip : self.last], {i - skip for i in self.wanted}

    def score(self, rows: dict[int, Logits], skip: int) -> Score:
        """The outcome, from the logits after the wanted tokens."""
        truth = self.truth
        gaps = [rows[at - 1 - skip][truth[at]] - rows[at - 1 - skip][token] for at, token in self.places]
        exact = all(row[truth[i + skip + 1]] >= max(row) for i, row in rows.items())
        margin = min(gaps)
        return Score(margin > 0, exact, round(max(-CLIP, min(CLIP, margin)), 4))


def judge(engine: Engine, data: str, questions: list[Question]) -> list[Score]:
    """Weigh the truth of every question against its rivals behind one text.

    The text and what all questions begin with are evaluated once.
    """
    trials = [Trial(engine, question) for question in questions]
    shared = opening([trial.ask for trial in trials])[:-1]
    skip = len(shared)
    engine.hold(engine.tokens(data + "\n\n") + shared)
    found = engine.after([trial.continuation(skip) for trial in trials])
    return [trial.score(rows, skip) for trial, rows in zip(trials, found)]


class Scorer:
    """Scores questions over a text, from memory where possible; the model is loaded only when something is new."""

    def __init__(self, start: Callable[[], Engine], model: str, memory: Path) -> None:
        self.start, self.model, self.memory = start, model, memory
        self.engine: Engine | None = None
        self.known: dict[str, dict[str, object]] = {}
        if memory.exists():
            for line in memory.read_text().splitlines():
                entry = json.loads(line)
                self.known[entry.pop("key")] = entry

    def running(self) -> Engine:
        """The engine, started at first need."""
        if self.engine is None:
            self.engine = self.start()
        return self.engine

    def key(self, *parts: object) -> str:
        """A name for a measurement: all that could change its outcome."""
        return hashlib.sha256(json.dumps([METHOD, self.model, *parts]).encode()).hexdigest()

    def keep(self, key: str, entry: dict[str, object]) -> None:
        """Remember a measurement."""
        self.known[key] = entry
        self.memory.parent.mkdir(parents=True, exist_ok=True)
        with self.memory.open("a") as out:
            out.write(json.dumps({"key": key, **entry}) + "\n")

    def tokens(self, data: str) -> int:
        """How many tokens of the model a text is."""
        key = self.key(data)
        if key not in self.known:
            self.keep(key, {"tokens": len(self.running().tokens(data))})
        return int(str(self.known[key]["tokens"]))

    def scores(self, data: str, questions: list[Question]) -> list[Score]:
        """Scores of all questions over one text. One new question has all asked anew, so that the batches, on which
        the last digits depend, are always the same."""
        keys = [self.key(data, question.ask, question.truth, question.rivals) for question in questions]
        if any(key not in self.known for key in keys):
            for key, score in zip(keys, judge(self.running(), data, questions)):
                self.keep(key, asdict(score))
        return [Score(**self.known[key]) for key in keys]  # type: ignore[arg-type]
