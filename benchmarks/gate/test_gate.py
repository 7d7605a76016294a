"""The gate must not pass what it should not: each test has a run, a tree or a justfile that is wrong in one way."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

import gate
import recipes
import record
import rows
from outputs import BAD, GOOD
from readers import Unread, cargo_tests, cells, last_line, plain
from record import Run, State
from tree import PROGRAM, SOURCES, Tree, crates

KNOWN = recipes.recipes((gate.ROOT / "justfile").read_text())
RUN = Run(
    name="a", command="just a", bar="0 faults", figure="0 faults", passed=True, exit=0, seconds=61.0, minutes=None, of_minutes=None, commit="c" * 40,
    dirty=[], build="b" * 12, recipe="r" * 12, at="2026-01-01T00:00:00+00:00", load=0.1, cores=2,
)  # fmt: skip


class Rows(unittest.TestCase):
    """The table of rows against the justfile."""

    def test_every_slow_recipe_has_a_row_or_a_reason(self) -> None:
        slow = {name for name, recipe in KNOWN.items() if recipe.group in ("slow", "measure")}
        covered = {row.recipe for row in rows.ROWS} | set(rows.LEFT_OUT)
        self.assertGreater(len(slow), 40)
        self.assertEqual(slow - covered, set(), "these recipes have neither a row in rows.py nor a reason in LEFT_OUT")
        self.assertEqual(set(rows.LEFT_OUT) - slow, set(), "these reasons are for recipes that are not there")
        self.assertEqual({row.recipe for row in rows.ROWS} & set(rows.LEFT_OUT), set())
        self.assertEqual([row.name for row in rows.ROWS if row.recipe not in KNOWN], [])
        self.assertEqual(set(rows.REASONS) - {row.name for row in rows.ROWS}, set())

    def test_a_recipe_without_a_row_is_noticed(self) -> None:
        more = recipes.recipes("[group('slow')]\nnew: release\n    true\n\n[group('measure')]\nbench *subject:\n    true\n")
        self.assertEqual([name for name in more if name not in {row.recipe for row in rows.ROWS}], ["new"])

    def test_names_differ_and_every_fuzz_target_has_one(self) -> None:
        names = [row.name for row in rows.ROWS]
        self.assertEqual(len(names), len(set(names)))
        targets = {path.stem for path in (gate.ROOT / "fuzz/fuzz_targets").glob("*.rs")}
        self.assertEqual(set(rows.FUZZ_TARGETS), targets)

    def test_what_a_row_depends_on_is_there(self) -> None:
        for row in rows.ROWS:
            for path in row.paths:
                self.assertTrue((gate.ROOT / path).exists(), f"{row.name}: {path}")

    def test_a_smaller_budget_is_passed_on(self) -> None:
        words = {row.name: row.budget.words(2) for row in rows.ROWS if row.budget}
        self.assertEqual(words["soak"], ["soak", "2"])
        self.assertEqual(words["fuzz-slots"], ["fuzz", "slots", "120"])
        self.assertEqual(words["spray"], ["spray", "1"])
        self.assertEqual(words["general"], ["general", "33333"])

    def test_recipes_do_not_build_the_program_again(self) -> None:
        for row in rows.ROWS:
            for line in KNOWN[row.recipe].body.splitlines():
                self.assertNotRegex(line, r"cargo (build|run) .*--release", f"{row.name} builds after the gate has built: use {{{{build}}}} or {{{{bench}}}}")


class Recipes(unittest.TestCase):
    """What is read from a justfile."""

    def test_groups_and_bodies_are_read(self) -> None:
        text = "x := 'y'\n\n# About.\n[group('slow')]\na minutes='10': release b\n    cargo test\n\n    more\n\n# About.\nb:\n    true\n"
        found = recipes.recipes(text)
        self.assertEqual([(one.name, one.group, one.depends, one.needs_cargo) for one in found.values()], [("a", "slow", ("release", "b"), True), ("b", "", (), False)])
        self.assertIn("more", found["a"].body)
        self.assertNotEqual(found["a"].digest, recipes.recipes(text.replace("more", "less"))["a"].digest)

    def test_scripts_are_found_with_what_they_import(self) -> None:
        soak = recipes.scripts(gate.ROOT, KNOWN, "soak")
        self.assertIn("trials/clients/soak.py", soak)
        self.assertIn("trials/clients/speech.py", soak)
        self.assertNotIn("trials/clients/hooks.py", soak)
        self.assertIn("trials/drain/drain.py", recipes.scripts(gate.ROOT, KNOWN, "spray"))
        self.assertIn("deploy/check.sh", recipes.scripts(gate.ROOT, KNOWN, "image"))

    def test_a_row_that_tests_packages_depends_on_them_alone(self) -> None:
        self.assertEqual(KNOWN["year"].packages, {"tersely-history"})
        # These run the program, or all tests.
        self.assertEqual([KNOWN[name].packages for name in ("soak", "bench", "timed", "envoy", "frameworks")], [set()] * 5)
        million = crates(gate.ROOT, KNOWN["million"].packages)
        self.assertIn("crates/codec", million)
        self.assertIn("crates/core", million, "its tests use what the tests of all crates share")
        self.assertIn(":(exclude,glob)crates/core/tests/**/*.rs", million, "they run none of its tests")
        self.assertNotIn(":(exclude,glob)crates/codec/tests/**/*.rs", million)
        self.assertNotIn("crates/gateway", million)
        self.assertIn("Cargo.lock", million)
        self.assertIn("crates/store", crates(gate.ROOT, {"tersely-gateway"}))
        self.assertNotIn("crates/core", crates(gate.ROOT, {"tersely-json"}), "tests of what it is built with are not run")

    def test_a_fuzz_row_depends_on_all_that_its_target_calls(self) -> None:
        source = (gate.ROOT / "crates/testing/src/fuzz.rs").read_text()
        used = [(found[1], re.findall(r"\w+\b(?!::)", found[2])) for found in re.finditer(r"^use (tersely_\w+)::([^;]+);", source, re.MULTILINE)]
        crate_of = {name: crate.replace("tersely_", "crates/") for crate, names in used for name in names}
        bodies = {found[1]: found[2] for found in re.finditer(r"^fn (\w+)(.*?)^}", source, re.MULTILINE | re.DOTALL)}
        entries = dict(re.findall(r'^        "(\w+)" => (\w+)\(', source, re.MULTILINE))
        self.assertEqual(set(entries), set(rows.FUZZ_TARGETS))
        for target, package in rows.FUZZ_TARGETS.items():
            ahead, seen, called = [entries[target]], set(), set()
            while ahead:
                name = ahead.pop()
                seen.add(name)
                words = set(re.findall(r"(?<!::)\b\w+", bodies[name]))
                called |= {crate_of[word] for word in words & set(crate_of)}
                ahead += (words & set(bodies)) - seen
            self.assertLessEqual(called, set(crates(gate.ROOT, {package}, tested=set())), target)
        self.assertNotIn("crates/core", crates(gate.ROOT, {"tersely-wire"}, tested=set()))

    def test_every_row_that_runs_a_script_has_it(self) -> None:
        for row in rows.ROWS:
            if ".py" in KNOWN[row.recipe].body:
                self.assertTrue(recipes.scripts(gate.ROOT, KNOWN, row.recipe), row.name)


class Readers(unittest.TestCase):
    """Each reader with an output as the recipe prints it, and with a bad one."""

    READERS = {row.name: row.reader for row in rows.ROWS}

    def test_every_row_has_an_output_that_passes(self) -> None:
        fuzz = {f"fuzz-{target}" for target in list(rows.FUZZ_TARGETS)[1:]}
        self.assertEqual(set(GOOD), {row.name for row in rows.ROWS} - fuzz)
        for name, (output, figure) in GOOD.items():
            with self.subTest(name):
                found = self.READERS[name](output)
                self.assertTrue(found.holds, found.text)
                self.assertEqual(found.text, figure)

    def test_what_misses_its_bar_does_not_pass(self) -> None:
        for name, outputs in BAD.items():
            for output in outputs:
                with self.subTest(f"{name}: {output[:60]}"):
                    self.assertFalse(self.READERS[name](output).holds)

    def test_an_output_that_says_nothing_does_not_pass(self) -> None:
        for row in rows.ROWS:
            for output in ("", "\n") if row.reader is last_line else ("", "Killed\n"):
                with self.subTest(row.name):
                    with contextlib.suppress(Unread):
                        self.assertFalse(row.reader(output).holds)

    def test_no_tests_at_all_are_no_pass(self) -> None:
        self.assertFalse(cargo_tests("test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 9 filtered out").holds)

    def test_colours_and_heads_of_tables_are_left_out(self) -> None:
        self.assertEqual(plain("\x1b[1;32mok\x1b[0m\r\n"), "ok\n")
        self.assertEqual(cells("| a | b |\n|---|--:|\n| 1 | 2 |\n| x |\n", 2), [["1", "2"]])


class Judged(unittest.TestCase):
    """What a run is worth."""

    def state(self, run: Run | None, wanted: float | None = None, changed: tuple[str, ...] = ()) -> State:
        return record.judge(run, RUN.bar, RUN.recipe, wanted, list(changed))[0]

    def test_a_run_is_valid_until_something_changes(self) -> None:
        self.assertIs(self.state(RUN), State.VALID)
        self.assertIs(self.state(None), State.MISSING)
        self.assertIs(self.state(RUN, changed=("crates/a.rs",)), State.STALE)
        self.assertIs(self.state(dataclasses.replace(RUN, dirty=["crates/a.rs"])), State.STALE)
        self.assertIs(self.state(dataclasses.replace(RUN, bar="1 fault")), State.STALE)
        self.assertIs(self.state(dataclasses.replace(RUN, recipe="other")), State.STALE)

    def test_red_stays_red_and_short_is_not_enough(self) -> None:
        self.assertIs(self.state(dataclasses.replace(RUN, passed=False)), State.RED)
        short = dataclasses.replace(RUN, minutes=5, of_minutes=60)
        self.assertIs(self.state(short, wanted=60), State.SHORT)
        self.assertIs(self.state(short, wanted=5), State.VALID)

    def test_runs_come_back_and_the_table_tells_them(self) -> None:
        short = dataclasses.replace(RUN, name="b", minutes=5, of_minutes=60, passed=False, figure="a | b", dirty=["x"])
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "new" / "gate.jsonl"
            record.write(path, record.lines([RUN, short]))
            found = record.read(path)
        self.assertEqual(found, {"a": RUN, "b": short})
        page = record.table([("a", "0 faults"), ("b", "0 faults"), ("c", "none")], found, {"a": "never said", "b": "too slow"})
        self.assertIn("| `a` | 0 faults | 0 faults | yes | 61 s | cccccccc |", page)
        self.assertIn(r"| `b` | 0 faults | a \| b (5 of 60 minutes) (too slow) | **no** | 61 s | cccccccc, changed |", page)
        self.assertIn("| `c` | none | | | | |", page)
        self.assertIn("2 rows of one build", page)
        alone = dataclasses.replace(RUN, name="c", build="")
        self.assertRegex(record.table([], {**found, "c": alone}, {}), "2 rows of one build .*, 1 of packages alone, on")
        self.assertIn("\n1 of packages alone, on", record.table([], {"c": alone}, {}))


class Trees(unittest.TestCase):
    """A real repository."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "crates").mkdir()
        self.git("init", "--quiet")
        self.commit("crates/a.rs", "one")
        self.tree = Tree(self.root)
        self.first = self.tree.head()

    def git(self, *words: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=self.root, check=True)

    def commit(self, path: str, text: str) -> None:
        (self.root / path).write_text(text)
        self.git("add", path)
        self.git("commit", "--quiet", "--message", text)

    def changed(self, commit: str | None = None) -> list[str]:
        return self.tree.now(commit or self.first, ("crates", "Cargo.lock"))

    def test_changes_are_found_however_they_came(self) -> None:
        self.assertEqual(self.changed(), [])
        self.commit("README.md", "elsewhere")
        self.assertEqual(self.changed(), [])
        (self.root / "crates/a.rs").write_text("two")
        self.assertEqual(self.changed(), ["crates/a.rs"])
        (self.root / "crates/new.rs").write_text("new")
        self.assertEqual(self.changed(), ["crates/a.rs", "crates/new.rs"])
        self.git("checkout", "--quiet", "crates/a.rs")
        (self.root / "crates/new.rs").unlink()
        self.commit("crates/a.rs", "three")
        self.assertEqual(self.changed(), ["crates/a.rs"])
        self.assertEqual(self.changed(self.tree.head()), [])

    def test_tests_are_no_part_of_the_program(self) -> None:
        for path in ("crates/a/tests/deep/b.rs", "crates/a/src/tests/c.rs"):
            (self.root / path).parent.mkdir(parents=True)
            self.commit(path, path)
        self.assertEqual(self.tree.now(self.first, PROGRAM), ["crates/a/src/tests/c.rs"])
        self.assertEqual(len(self.tree.now(self.first, SOURCES)), 2)
        made = gate.Gate(mock.Mock(record=self.root))
        paths = {row.name: made.paths(row) for row in rows.ROWS}
        self.assertEqual([PROGRAM[-1] in paths[name] for name in ("soak", "bench", "timed", "year")], [True, True, False, False])

    def test_a_commit_that_is_gone_is_a_change(self) -> None:
        self.assertEqual(self.changed("0" * 40), ["commit 00000000 is not in this checkout"])


class Gates(unittest.TestCase):
    """The whole, with rows that are shell commands."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place, self.builds = Path(folder.name), []
        # In the place of `just`: the first argument is a recipe's name.
        program = self.place / "just"
        program.write_text('#!/bin/sh\necho "$@" >> "$(dirname "$0")/ran"\necho said; [ "$1" != bad ]\n')
        program.chmod(0o755)
        known = recipes.recipes("".join(f"[group('slow')]\n{name}:\n    true\n\n" for name in ("good", "bad", "long")))
        budget = rows.Budget(10, lambda minutes: ["long", f"{minutes:g}"])
        made = (rows.Row("bad", ("bad",), "0", last_line, 1), rows.Row("good", ("good",), "0", last_line, 1), rows.Row("long", ("long",), "0", last_line, 10, budget))
        for name, value in {"ROWS": made, "LOGS": self.place / "logs"}.items():
            patch = mock.patch.object(gate, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        for name, value in {"recipes": lambda _: known, "scripts": lambda *_: []}.items():
            patch = mock.patch.object(recipes, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        patch = mock.patch.object(Tree, "_changed", lambda *_: [])
        patch.start()
        self.addCleanup(patch.stop)

    def gate(self, *words: str) -> gate.Gate:
        args = gate.options().parse_args(["--record", str(self.place), "--just", str(self.place / "just"), *words])
        made = gate.Gate(args)
        made.build = lambda: self.builds.append(words)
        return made

    def ran(self) -> list[str]:
        path = self.place / "ran"
        lines = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return lines

    def run_quietly(self, *words: str) -> bool:
        with mock.patch("builtins.print"):
            return self.gate(*words).run_all()

    def test_it_goes_on_where_it_stopped_and_red_comes_last(self) -> None:
        self.run_quietly("bad")
        self.assertEqual(self.ran(), ["bad"])
        self.assertFalse(self.run_quietly())
        self.assertEqual(self.ran(), ["good", "long", "bad"])
        self.assertFalse(self.run_quietly())
        self.assertEqual(self.ran(), ["bad"])
        self.assertIn("| `bad` | 0 | exit 1: said | **no** |", (self.place / "gate.md").read_text())

    def test_the_program_is_built_for_rows_that_run_it(self) -> None:
        alone = recipes.Recipe("good", "slow", (), "good:\n    cargo test --package tersely-wire")
        with mock.patch.object(recipes, "recipes", lambda _: {"good": alone, "bad": dataclasses.replace(alone, body="bad:")}):
            self.assertTrue(self.run_quietly("good"))
            self.run_quietly("good", "bad")
        self.assertEqual(self.builds, [("good", "bad")])

    def test_a_program_that_is_the_same_byte_for_byte_keeps_its_rows(self) -> None:
        self.run_quietly("good")
        old = "0" * 40

        def carried(build: str, *differs: str) -> bool:
            with mock.patch.object(Tree, "_changed", lambda _, commit, paths: [path for path in differs if commit == old and path in paths]):
                made = self.gate()
                made.keep(dataclasses.replace(made.runs["good"], commit=old, build="same"))
                made.carry(build)
            return made.runs["good"].commit == made.tree.head()

        self.assertTrue(carried("same", "crates"))
        self.assertFalse(carried("other", "crates"))
        self.assertFalse(carried("same", "Cargo.lock"))
        self.assertFalse(carried("same", "crates", "crates/python"))
        self.assertFalse(carried("same"), "a row that is valid says where it ran")

    def test_a_short_run_is_run_again_in_full(self) -> None:
        self.assertTrue(self.run_quietly("long", "--minutes", "2"))
        self.assertEqual(self.ran(), ["long 2"])
        self.assertIs(self.gate().state(gate.ROWS[2])[0], State.SHORT)
        self.assertIs(self.gate("--minutes", "2").state(gate.ROWS[2])[0], State.VALID)
        self.run_quietly("long")
        self.assertEqual(self.ran(), ["long"])
        self.assertIs(self.gate().state(gate.ROWS[2])[0], State.VALID)

    def test_a_row_without_its_tools_fails_the_gate(self) -> None:
        lacking = rows.Row("good", ("good",), "0", last_line, 1, needs=("no-such-program",))
        with mock.patch.object(gate, "ROWS", (lacking,)):
            self.assertFalse(self.run_quietly())
        self.assertEqual(self.ran(), [])

    def test_names_may_be_patterns_and_must_exist(self) -> None:
        self.assertEqual([row.name for row in self.gate("*o*").chosen()], ["good", "long"])
        with self.assertRaises(SystemExit):
            self.gate("nothing").chosen()

    def test_what_takes_too_long_is_ended_with_all_that_it_started(self) -> None:
        began = time.monotonic()
        log = self.place / "log"
        self.assertEqual(gate.execute(["sh", "-c", "sleep 600 & echo $!; wait"], log, 2), gate.STOPPED)
        while _lives(int(log.read_text())):
            self.assertLess(time.monotonic() - began, 60)
            time.sleep(0.05)

    def test_a_stop_ends_rows_that_share_the_machine_and_records_none(self) -> None:
        shared = tuple(rows.Row(f"wait-{at}", ("good",), "0", last_line, 1, shares=True) for at in range(3))
        (self.place / "just").write_text('#!/bin/sh\necho "$@" >> "$(dirname "$0")/ran"\nsleep 20\n')

        def stop() -> None:
            while len((self.place / "ran").read_text().splitlines() if (self.place / "ran").exists() else []) < min(3, os.cpu_count() or 1):
                time.sleep(0.05)
            os.kill(os.getpid(), signal.SIGINT)

        began = time.monotonic()
        threading.Thread(target=stop, daemon=True).start()
        with mock.patch.object(gate, "ROWS", shared), self.assertRaises(KeyboardInterrupt):
            self.run_quietly()
        self.assertLess(time.monotonic() - began, 15)
        self.assertFalse((self.place / "gate.jsonl").exists())

    def test_there_is_one_gate_at_a_time(self) -> None:
        with gate.alone(self.place / "lock"):
            with self.assertRaises(SystemExit) as told, gate.alone(self.place / "lock"):
                pass
            self.assertIn(str(os.getpid()), str(told.exception))
        with gate.alone(self.place / "lock"):
            pass

    def test_the_record_names_no_place_of_the_machine(self) -> None:
        self.assertEqual(gate.nameless(f"{gate.ROOT}/target/x in {gate.ROOT}, {Path.home()}/y"), "target/x in ., ~/y")
        other = rows.Row("good", ("good", "$TERSELY_OTHER"), "0", last_line, 1, needs=("$TERSELY_OTHER",))
        with mock.patch.object(gate, "ROWS", (other,)), mock.patch.dict(os.environ, {"TERSELY_OTHER": "/some/where"}):
            self.assertTrue(self.run_quietly())
        self.assertEqual(self.ran(), ["good /some/where"])
        self.assertNotIn("/some/where", (self.place / "gate.jsonl").read_text())

    def test_settings_of_the_caller_do_not_reach_a_row(self) -> None:
        with mock.patch.dict(os.environ, {"TERSELY_MODE": "safe", "TERSELY_CORPUS": "/corpus"}):
            gate.execute(["sh", "-c", "env"], self.place / "log", 10)
        said = (self.place / "log").read_text()
        self.assertNotIn("TERSELY_MODE", said)
        self.assertIn("TERSELY_CORPUS=/corpus", said)
        self.assertIn("TERSELY_BUILT=1", said)


def _lives(process: int) -> bool:
    """True unless a process is gone or waits to be."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


if __name__ == "__main__":
    unittest.main()
