"""Lets functions call themselves as deep as a text nests without using Python's stack."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")

Task: TypeAlias = Generator[Any, Any, T]
"""A function that yields the tasks it needs done, gets what each returns, and returns its own result."""


def run(task: Task[T]) -> T:
    """What `task` returns."""
    waiting: list[Task[Any]] = []
    answer: Any = None
    while True:
        try:
            inner = task.send(answer)
        except StopIteration as done:
            if not waiting:
                result: T = done.value
                return result
            task, answer = waiting.pop(), done.value
        else:
            waiting.append(task)
            task, answer = inner, None
