"""Where the package looks for the program."""

import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from tersely import program

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
