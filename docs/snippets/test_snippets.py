"""A page with a mistake must not pass: each test makes one. TERSELY names the program."""

from __future__ import annotations

import os
import tempfile
import unittest
from pathlib import Path

import compare
import page
from flags import Program, usages
from judge import Judge, Verdict, named_versions
from listed import Listed
from run import excuses, summary
from sandbox import Sandbox
from statements import calls, programs, statements
from upstream import Upstream

PROGRAM = Program(Path(os.environ["TERSELY"]).resolve())
LIST = """
[program.docker]
why = "needs a daemon"
instead = "syntax"

[program.podman]
why = "needs a kernel"
instead = "a test runs it"
test = "just good"

[[block]]
page = "docs/a.md"
begins = "measured"
as = "quoted"
from = "record.md"
why = "a measurement"
instead = "looked up"

[[block]]
page = "docs/a.md"
begins = "min_bytes = 7"
as = "added"
why = "needs what stands above"
instead = "checked together"

[[block]]
page = "docs/a.md"
begins = "tersely: 2 requests"
as = "like"
why = "counts differ"
instead = "compared without numbers"
"""


def judged(text: str) -> list[Verdict]:
    """The verdicts on a page."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "docs").mkdir()
        (root / "justfile").write_text("good name='x': other\n    true\n")
        (root / "docs" / "snippets.toml").write_text(LIST)
        (root / "docs" / "a.md").write_text(text)
        (root / "record.md").write_text("It took 1,024 ms, 7.5 %.\n")
        judge = Judge(root, PROGRAM, Listed(root / "docs" / "snippets.toml"), Upstream().address, real=False)
        return judge.page(page.read(root, root / "docs" / "a.md"))


class Pages(unittest.TestCase):
    """Whole pages."""

    def states(self, text: str, *expected: str) -> str:
        """Compares the states of all verdicts; gives what was said of the last."""
        verdicts = judged(text)
        self.assertEqual([one.state for one in verdicts], list(expected), verdicts)
        return verdicts[-1].said

    def test_what_is_right_is_run(self) -> None:
        self.states("```sh\necho '[1.0]' | tersely encode\n```\n\n```text\n[1.0]\n```\n", "run", "run")
        self.states("```console\n$ echo '[1.0]' | tersely encode\n[1.0]\n```\n", "run")
        self.states("```python\nassert 1 + 1 == 2\n```\n", "run")
        self.states("See `just good` and `tersely mcp install|uninstall --client NAME`.\n", "checked", "checked")

    def test_what_prints_something_else_is_wrong(self) -> None:
        said = self.states("```sh\necho '[1.0]' | tersely encode\n```\n\n```text\n[2.0]\n```\n", "run", "wrong")
        self.assertIn("+[1.0]", said)
        self.states("```console\n$ echo '[1.0]' | tersely encode\n[2.0]\n```\n", "wrong")

    def test_what_fails_is_wrong(self) -> None:
        self.assertIn("ended with 2", self.states("```sh\ntersely count nowhere.txt\n```\n", "wrong"))
        self.assertIn("AssertionError", self.states("```python\nassert 1 + 1 == 3\n```\n", "wrong"))

    def test_commands_and_flags_that_do_not_exist_are_wrong(self) -> None:
        self.assertIn("no such flag", self.states("```sh\ntersely run --fast claude\n```\n", "wrong"))
        self.assertIn("no such flag", self.states("Use `tersely serve --port 1`.\n", "wrong"))
        self.assertIn("no such command", self.states("Use `tersely compres`.\n", "wrong"))
        self.assertIn("no recipe", self.states("Use `just bad`.\n", "wrong"))
        self.assertIn("no such flag", self.states("```sh\ndocker run x && tersely serve --port 1\n```\n", "wrong"))

    def test_programs_are_listed_or_wrong(self) -> None:
        self.states("```sh\ndocker run x\n```\n", "not run")
        self.states("```sh\npodman run x\n```\n\n```text\nx\n```\n", "elsewhere", "elsewhere")
        self.states("```sh\ntersely --version\npodman run x\n```\n", "run")
        self.states("```sh\ntersely --version\ndocker run x\n```\n", "in part")
        self.assertIn("`kubectl`", self.states("```sh\nkubectl get pods\n```\n", "wrong"))
        self.assertIn("`left_pad`", self.states("```python\nimport left_pad\n```\n", "wrong"))

    def test_what_is_not_run_is_said_with_its_reason(self) -> None:
        verdicts = judged("```sh\ntersely --version\ndocker run x\npodman run x\n```\n\n```sh\ndocker run y\n```\n")
        self.assertIn("1 run in part, 1 not run", summary(verdicts))
        self.assertIn("not run: needs a daemon; instead: syntax (docs/a.md:1, docs/a.md:7)\n", excuses(verdicts))

    def test_a_test_that_is_not_there_is_wrong(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "justfile").write_text("other:\n    true\n")
            (root / "list.toml").write_text(LIST)
            found = Judge(root, PROGRAM, Listed(root / "list.toml"), "", real=False).unused()
        self.assertIn(("just good", "there is no such test"), [(one.what, one.said) for one in found])

    def test_a_measurement_is_in_its_record(self) -> None:
        self.states("```text\nmeasured: 1,024 ms, 7.5 %\n```\n", "checked")
        self.assertIn("does not say 24, 7.\n", self.states("```text\nmeasured: 24 ms, 7 %, 7.5 %\n```\n", "wrong") + ".\n")

    def test_settings_are_checked(self) -> None:
        twice = "```toml\nmin_bytes = 1\n```\n\n```toml\nmin_bytes = %d\n```\n"
        self.states(twice % 2, "checked", "checked")
        self.assertIn("duplicate key", self.states(twice % 7, "checked", "wrong"))
        self.states('```toml\nmode = "safe"\n```\n', "checked")
        self.assertIn("min_byte", self.states("```toml\nmin_byte = 1\n```\n", "wrong"))
        self.states("```json\n{,}\n```\n", "wrong")

    def test_every_block_has_a_known_language(self) -> None:
        self.states("```\nx\n```\n", "wrong")
        self.states("```cobol\nx\n```\n", "wrong")
        self.states("```text\nsomething\n```\n", "wrong")

    def test_a_named_block_becomes_a_file(self) -> None:
        self.states("Put this into `a.json`:\n\n```json\n[1.0]\n```\n\n```sh\ntersely encode a.json\n```\n\n```text\n[1.0]\n```\n", "run", "run", "run")

    def test_a_turn_is_played_and_counted(self) -> None:
        end = "tersely: 2 requests: 9 of 9 tokens saved, 9 % (added tool: 9)\n…\n"
        self.states(f"```sh\ntersely run claude\n```\n\n```text\n60 issues, 20 of them open.\n{end}```\n", "run", "wrong")
        self.states(f"```sh\ntersely run claude | cat >/dev/null\n```\n\n```text\n{end}```\n", "run", "run")


class Parts(unittest.TestCase):
    """What the pages rely on."""

    def test_statements_end_where_bash_says(self) -> None:
        self.assertEqual([number for number, _ in statements("a \\\n  b\n# c\n\nd 'e\nf'\ncat <<X\ng\nX\n")], [1, 5, 7])
        with self.assertRaises(ValueError):
            statements("echo 'a\n")

    def test_programs_are_found_behind_pipes_and_our_own(self) -> None:
        self.assertEqual(programs("A=1 curl x | jq . > file && sudo tersely run --mode safe claude -p hi"), ["curl", "jq", "tersely", "claude"])
        self.assertEqual(programs("tersely mcp -- npx -y x"), ["tersely", "npx"])
        self.assertEqual(calls("claude mcp add f -- tersely mcp -- npx x"), [["mcp", "--", "npx", "x"]])
        self.assertEqual(calls("kubectl -n tersely create secret"), [])

    def test_a_usage_stands_for_all_its_lines(self) -> None:
        self.assertEqual(usages("tersely filter list|test [NAME]..."), [["filter", "list", "NAME"], ["filter", "test", "NAME"]])

    def test_a_page_names_what_each_of_its_sections_is_run_with(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "a.md").write_text("Run with left 1.0.\n\n## B\n\n```sh\necho\n```\n")
            read = page.read(root, root / "a.md")
            self.assertEqual([block.heading for block in read.blocks], ["B"])
            first = {"python": {"left": "1.0"}}
            self.assertEqual(named_versions(root, read, first), [])
            [right] = named_versions(root, read, first | {"sections": {"B": {"python": {"right": "2.0"}}, "C": {}}})
            self.assertIn("a section C, right 2.0", right.said)

    def test_what_is_exported_reaches_the_next_statement(self) -> None:
        with Sandbox(PROGRAM.path, "", [], {}) as box:
            self.assertEqual(box.run("export A=1 B=2", 9).code, 0)
            box.export({"A": "it's 3"})
            self.assertEqual(box.run('echo "$A $B"', 9).output, "it's 3 2\n")

    def test_what_is_left_open_may_be_anything(self) -> None:
        self.assertIsNone(compare.text("a\n…\nd\n", "a\nb\nc\nd\n", like=False))
        self.assertIsNone(compare.text("a 1,000\n", "a  23.5\n", like=True))
        self.assertIsNotNone(compare.text("a 1\n", "b 1\n", like=True))
        self.assertIsNone(compare.document('{"a": "…"}', '{"a": [1]}'))
        self.assertIsNotNone(compare.document('{"a": 1}', '{"a": 2}'))


if __name__ == "__main__":
    unittest.main()
