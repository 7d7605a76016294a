"""Runs install.sh against a folder of archives whose programs are scripts."""

import hashlib
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1] / "release")]
from archive import Entry, write_tar  # noqa: E402 - found by the line above

INSTALL = Path(__file__).with_name("install.sh")
GNU, MUSL = "x86_64-unknown-linux-gnu", "x86_64-unknown-linux-musl"


class Install(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tmp = Path(folder.name)
        for name in ("home", "downloads", "bin", "tmp"):
            (self.tmp / name).mkdir()
        self.installed = self.tmp / "home/.local/bin/tersely"
        self.machine("Linux", "x86_64")
        self.release(GNU, "echo tersely 1 of gnu")
        self.release(MUSL, "echo tersely 1 of musl")

    def command(self, name: str, script: str) -> None:
        """A command of this machine that does something else here."""
        path = self.tmp / "bin" / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def machine(self, system: str, processor: str) -> None:
        self.command("uname", f'if [ "$1" = -s ]; then echo {system}; else echo {processor}; fi')
        self.command("getconf", "echo glibc 2.36")

    def release(self, triple: str, script: str) -> None:
        program = Entry(f"tersely-{triple}/tersely", f"#!/bin/sh\n{script}\n".encode(), 0o755)
        path = write_tar(self.tmp / f"downloads/tersely-{triple}.tar.gz", [program])
        with (self.tmp / "downloads/SHA256SUMS").open("a") as sums:
            sums.write(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n")

    def install(self, **variables: str) -> subprocess.CompletedProcess:
        environment = {
            "HOME": str(self.tmp / "home"),
            "PATH": f"{self.tmp}/bin:/usr/bin:/bin",
            "TMPDIR": str(self.tmp / "tmp"),
            "TERSELY_DOWNLOAD_URL": f"file://{self.tmp}/downloads/",
            **variables,
        }
        done = subprocess.run(["sh", INSTALL], env=environment, capture_output=True, text=True, timeout=60)
        self.assertEqual(os.listdir(self.tmp / "tmp"), [], "it cleans up behind itself")
        return done

    def refuses(self, why: str, **variables: str) -> None:
        done = self.install(**variables)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn(why, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertFalse(self.installed.exists())

    def test_it_says_what_it_did_and_how_to_undo_it(self) -> None:
        done = self.install()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(f"installed tersely 1 of gnu: {self.installed}\n", done.stdout)
        self.assertIn(f'export PATH="{self.installed.parent}:$PATH"', done.stdout)
        self.assertIn(f"to undo: rm {self.installed}\n", done.stdout)
        self.assertEqual([path.name for path in self.installed.parent.iterdir()], ["tersely"])

    def test_again_is_an_upgrade(self) -> None:
        self.install()
        (self.tmp / "downloads/SHA256SUMS").unlink()
        self.release(GNU, "echo tersely 2")
        self.assertIn("installed tersely 2:", self.install().stdout)

    def test_another_folder_with_a_space(self) -> None:
        place = self.tmp / "a place"
        self.assertEqual(self.install(TERSELY_INSTALL_DIR=str(place)).returncode, 0)
        self.assertTrue((place / "tersely").is_file())

    def test_a_changed_archive_is_refused(self) -> None:
        with (self.tmp / f"downloads/tersely-{GNU}.tar.gz").open("ab") as archive:
            archive.write(b"x")
        self.refuses("is not what was released: its SHA-256 is")

    def test_an_archive_without_a_checksum_is_refused(self) -> None:
        (self.tmp / "downloads/SHA256SUMS").write_text("")
        self.refuses("does not name tersely-x86_64-unknown-linux-gnu.tar.gz")

    def test_a_download_that_fails_is_named(self) -> None:
        self.command("curl", "exit 22")
        self.refuses("/downloads/SHA256SUMS cannot be downloaded")

    def test_an_old_glibc_gets_the_static_program(self) -> None:
        (self.tmp / "downloads/SHA256SUMS").write_text("")
        self.release(GNU, "echo version GLIBC_2.99 not found >&2; exit 1")
        self.release(MUSL, "echo tersely 1 of musl")
        self.assertIn("tersely 1 of musl", self.install().stdout)

    def test_without_glibc_too(self) -> None:
        self.command("getconf", "exit 1")
        self.assertIn("tersely 1 of musl", self.install().stdout)

    def test_a_mac_gets_its_own_even_under_rosetta(self) -> None:
        self.machine("Darwin", "x86_64")
        self.command("sysctl", "echo 1")
        self.release("aarch64-apple-darwin", "echo tersely of a mac")
        self.assertIn("tersely of a mac", self.install().stdout)

    def test_other_machines_are_told_so(self) -> None:
        self.machine("Linux", "riscv64")
        self.refuses("no program for the processor riscv64")
        self.machine("FreeBSD", "x86_64")
        self.refuses("no program for FreeBSD")

    def test_the_address_holds_the_version_or_the_latest(self) -> None:
        self.command("curl", f'echo "$@" > {self.tmp}/asked; exit 22')
        for version, place in {"": "latest/download", "0.2.0": "download/v0.2.0", "v0.2.0": "download/v0.2.0"}.items():
            self.install(TERSELY_DOWNLOAD_URL="", TERSELY_VERSION=version)
            asked = (self.tmp / "asked").read_text()
            self.assertIn(f"https://github.com/tersely/tersely/releases/{place}/SHA256SUMS", asked)

    def test_half_a_script_does_nothing(self) -> None:
        half = INSTALL.read_text().rsplit("main", 1)[0]
        done = subprocess.run(["sh"], input=half, env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))


if __name__ == "__main__":
    unittest.main()
