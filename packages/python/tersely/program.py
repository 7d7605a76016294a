"""Runs the `tersely` program that comes with the package, and does without it where it fails."""

from __future__ import annotations

import functools
import importlib.metadata
import logging
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Literal, get_args

Mode = Literal["disabled", "safe", "standard", "aggressive"]
Loss = Literal["none", "form", "detail"]

_NAME = "tersely.exe" if sys.platform == "win32" else "tersely"
_log = logging.getLogger("tersely")
_told: set[str] = set()


def compress(
    text: str,
    *,
    tool: str | None = None,
    command: str | None = None,
    model: str | None = None,
    mode: Mode = "standard",
    loss: Loss = "form",
    redact_secrets: bool = False,
    timeout: float = 10.0,
) -> str:
    """A tool's output in fewer tokens, or `text` itself where that is not possible.

    `tool` and `command` say what printed the text, `model` who reads it. Nothing but layout is lost unless
    `loss` is "detail": what is left out cannot be fetched back here, as it can through a gateway.
    A text that is no str raises a TypeError. Nothing else raises: what went wrong is logged as a warning by the logger
    `tersely`, an option that does not exist once.
    """
    if not isinstance(text, str):
        raise TypeError(f"compress takes a str, not {type(text).__name__}")
    wrong = _wrong(mode, loss)
    if wrong is not None:
        _warn_once(wrong)
        return text
    words = [f"--mode={mode}", f"--loss={loss}"]
    named = {"tool": tool, "command": command, "model": model}
    words += [f"--{name}={value}" for name, value in named.items() if value is not None]
    words += ["--redact-secrets"] * redact_secrets
    try:
        return _run(words, text, timeout)
    except (OSError, ValueError, subprocess.SubprocessError) as fault:
        # Never the text itself, nor the words of the command line, which may hold part of it.
        _log.warning("not compressed: %s", _reason(fault))
        return text


def _wrong(mode: object, loss: object) -> str | None:
    """What the program would not take. A mode may name a profile: standard@1."""
    name = mode.partition("@")[0] if isinstance(mode, str) else mode
    for option, said, given, known in (("mode", mode, name, get_args(Mode)), ("loss", loss, loss, get_args(Loss))):
        if given not in known:
            return f"{option} is {said!r}; it may be {', '.join(known[:-1])} or {known[-1]}"
    return None


def _warn_once(why: str) -> None:
    if why not in _told:
        _told.add(why)
        _log.warning("not compressed: %s", why)


@functools.cache
def find() -> str | None:
    """Where the program is: where the package put it, else on the path."""
    here = [*_recorded(), Path(__file__).parents[1] / "bin" / _NAME]
    installed = next((str(path) for path in here if path.is_file()), None)
    return installed or shutil.which("tersely")


def _recorded() -> list[Path]:
    """The place that the installer wrote down, which is right for every scheme but `pip install --target`."""
    try:
        files = importlib.metadata.files("tersely") or []
    except importlib.metadata.PackageNotFoundError:
        return []
    return [Path(str(file.locate())) for file in files if file.name == _NAME]


def _run(words: list[str], text: str, timeout: float) -> str:
    program = find()
    if program is None:
        raise FileNotFoundError("no `tersely` program: this platform has no wheel that brings it")
    done = subprocess.run(
        [program, "compress", *words], input=text.encode(), capture_output=True, timeout=timeout, check=True
    )
    return done.stdout.decode()


def _reason(fault: Exception) -> str:
    if isinstance(fault, subprocess.CalledProcessError):
        return f"tersely ended with {fault.returncode}"
    if isinstance(fault, subprocess.TimeoutExpired):
        return f"tersely took more than {fault.timeout:g} s"
    if isinstance(fault, UnicodeError):
        return "the text has half a surrogate pair"
    return str(fault) if isinstance(fault, FileNotFoundError) else type(fault).__name__
