"""Ways to put one bug into a Python source: each is a small change inside a function, and the rest of the text stays as it is."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

COMPARISONS = {
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"), ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="), ast.In: ("in", "not in"), ast.NotIn: (r"not\s+in", "in"), ast.Is: ("is", "is not"),
    ast.IsNot: (r"is\s+not", "is"),
}
SUMS = {ast.Add: (r"\+", "-"), ast.Sub: ("-", "+")}
CHOICES = {ast.And: ("and", "or"), ast.Or: ("or", "and")}


@dataclass(frozen=True)
class Mutation:
    """One bug: what stands from one byte to another becomes something else."""

    kind: str
    line: int
    start: int
    end: int
    text: bytes

    def applied(self, source: bytes) -> bytes:
        """The source with the bug in it."""
        return source[: self.start] + self.text + source[self.end :]


class Source:
    """A source and the places of its nodes, in bytes, as `ast` counts columns."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.starts = [0]
        for line in data.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Where a node begins and ends."""
        return self.starts[node.lineno - 1] + node.col_offset, self.starts[node.end_lineno - 1] + node.end_col_offset

    def between(self, kind: str, left: ast.AST, right: ast.AST, change: tuple[str, str]) -> Iterator[Mutation]:
        """Another operator between two operands, if what stands there is nothing but the operator and brackets."""
        start, end = self.span(left)[1], self.span(right)[0]
        found = re.fullmatch(rb"([\s)\\]*)(" + change[0].encode() + rb")([\s(\\]*)", self.data[start:end])
        if found:
            yield Mutation(kind, left.lineno, start + found.start(2), start + found.end(2), change[1].encode())

    def instead(self, kind: str, node: ast.AST, text: bytes) -> Mutation:
        """Another text for a node."""
        start, end = self.span(node)
        return Mutation(kind, node.lineno, start, end, text)


def operators(source: Source, node: ast.AST) -> Iterator[Mutation]:
    """A comparison that leans the other way, a sum that is a difference, a choice that is stricter or laxer."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield from source.between("comparison", node.left, node.comparators[0], COMPARISONS[type(node.ops[0])])
    elif isinstance(node, ast.BinOp) and type(node.op) in SUMS and not is_text(node.left) and not is_text(node.right):
        yield from source.between("sum", node.left, node.right, SUMS[type(node.op)])
    elif isinstance(node, ast.BoolOp) and len(node.values) == 2:
        yield from source.between("choice", node.values[0], node.values[1], CHOICES[type(node.op)])


def is_text(node: ast.AST) -> bool:
    """Whether this is words between quotes; to subtract them is no bug that anyone would write."""
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes))


def values(source: Source, node: ast.AST) -> Iterator[Mutation]:
    """A number that is off by one, a switch that is turned, a `not` that was forgotten."""
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield source.instead("switch", node, str(not node.value).encode())
    elif isinstance(node, ast.Constant) and type(node.value) is int and abs(node.value) < 1000:
        yield source.instead("off by one", node, str(node.value + 1).encode())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        start, end = source.span(node.operand)
        yield source.instead("not", node, b"(" + source.data[start:end] + b")")


def calls(source: Source, node: ast.AST) -> Iterator[Mutation]:
    """Two arguments that changed places."""
    if not isinstance(node, ast.Call) or len(node.args) < 2 or any(isinstance(one, ast.Starred) for one in node.args):
        return
    (start, middle), (later, end) = source.span(node.args[0]), source.span(node.args[1])
    first, second = source.data[start:middle], source.data[later:end]
    if first != second and not isinstance(node.args[0], ast.GeneratorExp):
        yield Mutation("arguments", node.lineno, start, end, second + source.data[middle:later] + first)


def branches(source: Source, node: ast.AST) -> Iterator[Mutation]:
    """An `if` that is not there."""
    for body in [getattr(node, name, None) for name in ("body", "orelse", "finalbody")]:
        if not isinstance(body, list) or len(body) < 2:
            continue
        for one in body:
            if isinstance(one, ast.If) and not one.orelse:
                yield Mutation("branch", one.lineno, source.starts[one.lineno - 1], source.starts[one.end_lineno], b"")


def mutations(data: bytes) -> list[Mutation]:
    """Every bug to try in this source, in the order of the text; see `is_sound`. What runs on import is left alone."""
    source, found = Source(data), set()
    for function in ast.walk(ast.parse(data)):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) or function.name in ("__repr__", "__str__"):
            continue
        for statement in function.body:
            for node in ast.walk(statement):
                for way in (operators, values, calls, branches):
                    found.update(way(source, node))
        found.update(branches(source, function))
    return sorted(found, key=lambda one: (one.start, one.end, one.text))


def is_sound(mutation: Mutation, data: bytes) -> bool:
    """Whether the source is still Python, and says something else than before."""
    try:
        after = ast.parse(mutation.applied(data))
    except (SyntaxError, ValueError):
        return False
    return ast.dump(after) != ast.dump(ast.parse(data))


def drawn(candidates: dict[str, list[Mutation]], draw: random.Random) -> Iterator[tuple[str, Mutation]]:
    """All candidates of all files in a random order in which kinds take turns, so that the frequent ones do not fill a set."""
    kinds: dict[str, list[tuple[str, Mutation]]] = {}
    for path in sorted(candidates):
        for mutation in candidates[path]:
            kinds.setdefault(mutation.kind, []).append((path, mutation))
    order = sorted(kinds)
    draw.shuffle(order)
    for kind in order:
        draw.shuffle(kinds[kind])
    while any(kinds.values()):
        for kind in order:
            if kinds[kind]:
                yield kinds[kind].pop()
