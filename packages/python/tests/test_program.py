"""The package with a stand-in for the program, and without any."""

import os
import stat
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import tersely
from tersely import program

ECHO = "import sys; print(sys.argv[1:], sys.stdin.read(), end='')"


@unittest.skipIf(sys.platform == "win32", "a stand-in is a script")
class Compress(unittest.TestCase):
    def compress(self, code: str | None, text: str, **options) -> str:
        """What becomes of `text` when the program is this Python code, or is missing."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "tersely"
            if code is not None:
                path.write_text(f"#!{sys.executable}\n{code}\n")
                path.chmod(path.stat().st_mode | stat.S_IXUSR)
            found = str(path) if code is not None else None
            with mock.patch.object(program, "find", return_value=found):
                return tersely.compress(text, **options)

    def test_what_is_known_of_the_text_is_told(self) -> None:
        words = ["compress", "--mode=safe", "--loss=none", "--tool=bash", "--command=-x 'y'", "--model=m", "--redact-secrets"]
        options = {"tool": "bash", "command": "-x 'y'", "model": "m", "mode": "safe", "loss": "none", "redact_secrets": True}
        self.assertEqual(self.compress(ECHO, "é", **options), f"{words} é")

    def test_nothing_but_layout_is_lost_unless_asked(self) -> None:
        self.assertEqual(self.compress(ECHO, "x"), "['compress', '--mode=standard', '--loss=form'] x")

    def test_every_byte_arrives(self) -> None:
        copy = "import shutil, sys; shutil.copyfileobj(sys.stdin.buffer, sys.stdout.buffer)"
        text = "\r\n a\u2028b\x00 \N{GRINNING FACE}\n\n"
        self.assertEqual(self.compress(copy, text), text)

    def test_a_fault_leaves_the_text_as_it_was(self) -> None:
        faults = {
            "ended with 3": ("import sys; sys.exit(3)", {}),
            "took more than": ("import time; time.sleep(9)", {"timeout": 0.2}),
            "no `tersely` program": (None, {}),
            "ValueError": (ECHO, {"command": "\0"}),
            "OSError": (ECHO, {"command": "x" * 4_000_000}),
        }
        for reason, (code, options) in faults.items():
            with self.subTest(reason), self.assertLogs("tersely", "WARNING") as log:
                self.assertEqual(self.compress(code, "secret text", **options), "secret text")
                self.assertIn(reason, log.output[0])
                self.assertNotIn("secret", log.output[0])

    def test_what_is_not_a_text_is_refused(self) -> None:
        for wrong in (b"x", None, 1, ["x"]):
            with self.subTest(wrong), self.assertRaisesRegex(TypeError, f"a str, not {type(wrong).__name__}"):
                self.compress(ECHO, wrong)

    def test_a_wrong_option_is_told_once(self) -> None:
        wrong = ({"loss": "all"}, {"mode": "strong"}, {"loss": None}, {"mode": ["safe"]})
        for options in wrong:
            program._told.clear()
            name, value = next(iter(options.items()))
            with self.subTest(options), self.assertLogs("tersely", "WARNING") as log:
                for text in ("secret", "text"):
                    self.assertEqual(self.compress(ECHO, text, **options), text)
                self.assertEqual(len(log.output), 1)
                self.assertIn(f"not compressed: {name} is {value!r}; it may be ", log.output[0])

    def test_half_a_surrogate_pair_stays(self) -> None:
        with self.assertLogs("tersely", "WARNING"):
            self.assertEqual(self.compress(ECHO, "a\ud800"), "a\ud800")


class Find(unittest.TestCase):
    def test_the_path_is_the_last_resort(self) -> None:
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, {"PATH": folder}):
            with mock.patch.object(program, "_recorded", return_value=[]):
                self.assertIsNone(program.find.__wrapped__())
                stand_in = Path(folder) / program._NAME
                stand_in.touch(mode=0o755)
                self.assertEqual(program.find.__wrapped__(), str(stand_in))


if __name__ == "__main__":
    unittest.main()
