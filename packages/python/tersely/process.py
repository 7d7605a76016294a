"""Runs the `tersely` program as a process that stays, and speaks to it as to the native part."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from typing import Any

from . import program


def start() -> Process | None:
    """The process; none if there is no program."""
    found = program.find()
    return Process(found) if found is not None else None


class Process:
    """Answers one call at a time. It starts again if it ended, and in a child after a fork."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def call(self, operation: str, options: str, payload: bytes) -> tuple[str, bytes]:
        head, parts = self.ask({"operation": operation, "options": json.loads(options)}, payload)
        return json.dumps(head["about"]), parts[0]

    def open(self, options: str, body: bytes) -> tuple[tuple[str, bytes], RemoteExchange | None]:
        head, parts = self.ask({"operation": "open", "options": json.loads(options)}, body)
        number = head.get("exchange")
        return (json.dumps(head["about"]), parts[0]), RemoteExchange(self, number) if number else None

    def ask(self, head: dict[str, Any], payload: bytes = b"") -> tuple[dict[str, Any], list[bytes]]:
        line = json.dumps({**head, "bytes": len(payload)}).encode()
        with self._lock:
            try:
                answer, parts = self._converse(line + b"\n" + payload)
            except (OSError, ValueError) as error:
                self._child = None
                raise RuntimeError(f"the tersely program ended: {type(error).__name__}") from None
        if "error" in answer:
            raise ValueError(answer["kind"], answer["error"])
        return answer, parts

    def _converse(self, message: bytes) -> tuple[dict[str, Any], list[bytes]]:
        child = self._running()
        assert child.stdin is not None and child.stdout is not None
        child.stdin.write(message)
        child.stdin.flush()
        answer: dict[str, Any] = json.loads(child.stdout.readline())
        return answer, [child.stdout.read(length) for length in answer["bytes"]]

    def _running(self) -> subprocess.Popen[bytes]:
        if self._child is None or self._child.poll() is not None or self._owner != os.getpid():
            pipe = subprocess.PIPE
            self._child = subprocess.Popen([self._path, "library"], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
            self._owner = os.getpid()
        return self._child


class RemoteExchange:
    """An exchange that the process holds."""

    def __init__(self, process: Process, number: int) -> None:
        self._process, self._number = process, number

    def begin(self, content_type: str) -> None:
        self._step("begin", content_type=content_type)

    def see(self, data: bytes) -> bytes:
        return self._step("see", data)[1][0]

    def end(self) -> tuple[bytes, bytes | None]:
        head, parts = self._step("end")
        return parts[0], parts[1] if head["sends"] else None

    def fail(self, status: int, message: str) -> bytes:
        return self._step("fail", status=status, message=message)[1][0]

    def __del__(self) -> None:
        try:
            self._step("close")
        except Exception:  # noqa: BLE001 - the process ended, and the exchange with it
            pass

    def _step(self, operation: str, payload: bytes = b"", **more: Any) -> tuple[dict[str, Any], list[bytes]]:
        return self._process.ask({"operation": operation, "exchange": self._number, **more}, payload)
