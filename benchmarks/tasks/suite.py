"""Runs the tests of a package, and says how each ended; judges a repair."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import xml.etree.ElementTree as Xml
from dataclasses import dataclass, field
from pathlib import Path

from hide import Case
from packages import Package, python

PATIENCE = 90
# On a busy machine a judge who hurries would call a good repair a bad one.
JUDGES_PATIENCE = 900
OPTIONS = "-o addopts= -p no:cacheprovider"


@dataclass
class Outcome:
    """How the tests of a package ended. Whole: they came to an end and every file could be read."""

    passed: set[Case] = field(default_factory=set)
    failed: dict[Case, str] = field(default_factory=dict)
    whole: bool = False


def variables(package: Package, folder: Path) -> dict[str, str]:
    """What a program needs in its environment to run this package's tests by `python -m pytest`."""
    path = f"{python().parent}:{os.environ['PATH']}"
    # Sets have the same order everywhere, so that a test that hangs on it ends in the same way.
    fixed = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0", "PYTEST_ADDOPTS": OPTIONS}
    return {"PATH": path, "PYTHONPATH": str(folder / package.root), **fixed}


def run_tests(package: Package, folder: Path, patience: float = PATIENCE) -> Outcome:
    """All tests in a folder, each with its trace where it failed."""
    with tempfile.TemporaryDirectory(prefix="tersely-tasks-") as scratch:
        told = Path(scratch) / "told.xml"
        words = [python(), "-m", "pytest", "-q", "--tb=short", "-o", "junit_family=xunit1", f"--junitxml={told}"]
        env = {**variables(package, folder), "HOME": scratch, "TMPDIR": scratch}
        # A bug can make a test wait for ever, or start what does: all of it ends together.
        process = subprocess.Popen(words, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            code = process.wait(patience)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            end_group(process)
        return read(told) if code in (0, 1) and told.is_file() else Outcome()


def end_group(process: subprocess.Popen) -> None:
    """End a process that leads a group of its own, and whatever it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def read(told: Path) -> Outcome:
    """The report of pytest. A case that ran several times failed if it failed once."""
    outcome = Outcome(whole=True)
    for one in Xml.parse(told).getroot().iter("testcase"):
        file, name = one.get("file"), one.get("name", "")
        if not file or not name:
            return Outcome()
        function, _, values = name.partition("[")
        module = file.removesuffix(".py").replace("/", ".")
        group = one.get("classname", "").removeprefix(module).lstrip(".")
        case = Case(file, group, function, values)
        kinds = {part.tag: part for part in one}
        if "failure" in kinds or "error" in kinds:
            outcome.failed[case] = (kinds.get("failure", kinds.get("error")).text or "").strip()
        elif "skipped" not in kinds:
            outcome.passed.add(case)
    outcome.passed -= set(outcome.failed)
    return outcome


def judge(package: Package, workspace: Path, expected: set[Case]) -> bool:
    """Whether the sources of a workspace pass every test that the package passed before there was a bug.

    Only sources are taken from the workspace, so that a changed test, or a setting of pytest, changes nothing.
    """
    with tempfile.TemporaryDirectory(prefix="tersely-judge-") as scratch:
        folder = Path(scratch) / "package"
        shutil.copytree(package.folder, folder)
        for path in package.sources(workspace):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(workspace / path, folder / path)
        for path in set(package.sources(folder)) - set(package.sources(workspace)):
            (folder / path).unlink()
        outcome = run_tests(package, folder, JUDGES_PATIENCE)
    return outcome.whole and expected <= outcome.passed
