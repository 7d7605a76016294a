"""Finds the `tersely` program that comes with the package."""

from __future__ import annotations

import functools
import importlib.metadata
import shutil
import sys
from pathlib import Path

_NAME = "tersely.exe" if sys.platform == "win32" else "tersely"


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
