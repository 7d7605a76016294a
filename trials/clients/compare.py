"""Compares what a client sent with what the upstream saw."""

from __future__ import annotations

import json
from dataclasses import dataclass

from upstream import Request

# What each hop has of its own.
HOP = {"host", "connection", "keep-alive", "content-length", "transfer-encoding", "proxy-connection", "te", "upgrade"}


@dataclass
class Change:
    """A string in a body that is another one now."""

    before: str
    after: str


class Unfaithful(Exception):
    """Something changed that should not have."""


def compare(sent: list[Request], seen: list[Request]) -> list[Change]:
    """The strings that changed; raises when anything else did."""
    left = list(sent)
    changes = []
    for request in seen:
        same = [one for one in left if (one.method, one.path) == (request.method, request.path)]
        if not same:
            raise Unfaithful(f"the upstream saw {request.method} {request.path}, which no client sent")
        best = max(same, key=lambda one: alike(one.body, request.body))
        left.remove(best)
        if headers(best) != headers(request):
            raise Unfaithful(f"headers differ: {sorted(set(headers(best)) ^ set(headers(request)))}")
        if best.body != request.body:
            changes.append(changed(best.body, request.body))
    return changes


def headers(request: Request) -> list[tuple[str, str]]:
    """The headers that go from end to end, in no order."""
    return sorted((name.lower(), value) for name, value in request.headers if name.lower() not in HOP)


def alike(one: bytes, other: bytes) -> int:
    """How many bytes two bodies share at their ends."""
    if one == other:
        return 1 << 40
    return prefix(one, other) + prefix(one[::-1], other[::-1])


def prefix(one: bytes, other: bytes) -> int:
    """How many bytes two texts begin with in common."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low


def changed(sent: bytes, seen: bytes) -> Change:
    """The one string that differs; raises when the difference is not within one string."""
    start = prefix(sent, seen)
    open_quote = sent.rfind(b'"', 0, start)
    while open_quote > 0 and escaped(sent, open_quote):
        open_quote = sent.rfind(b'"', 0, open_quote)
    before, after = token(sent, open_quote), token(seen, open_quote)
    rest = (sent[open_quote + before[1] :], seen[open_quote + after[1] :])
    if sent[:open_quote] != seen[:open_quote] or rest[0] != rest[1]:
        raise Unfaithful("more than one string of the body differs")
    change = Change(before[0], after[0])
    # The place could have been a name, or what stands between two strings.
    if swapped(json.loads(sent), change) != json.loads(seen):
        raise Unfaithful("what differs in the body is not a string of it")
    return change


def swapped(value: object, change: Change) -> object:
    """A document with one text in the place of another."""
    if isinstance(value, dict):
        return {name: swapped(one, change) for name, one in value.items()}
    if isinstance(value, list):
        return [swapped(one, change) for one in value]
    return change.after if value == change.before else value


def escaped(text: bytes, at: int) -> bool:
    """Whether an odd number of backslashes stands before a place."""
    slashes = len(text[:at]) - len(text[:at].rstrip(b"\\"))
    return slashes % 2 == 1


def token(text: bytes, at: int) -> tuple[str, int]:
    """The JSON string at a place, and its length in bytes."""
    rest = text[at:].decode()
    value, end = json.JSONDecoder(strict=False).raw_decode(rest)
    return value, len(rest[:end].encode())
