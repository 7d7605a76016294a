"""Assembles every package from stand-ins for the programs, and looks at what came out."""

import base64
import csv
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "try")]
import assemble  # noqa: E402 - found by the line above
import deb  # noqa: E402
import extras  # noqa: E402
from shelf import Shelf  # noqa: E402
from targets import TARGETS, version  # noqa: E402

# Says its version, or waits to be told to end and says so; ends with what it was asked to. The comment names a glibc.
STAND_IN = b"""#!/bin/sh
#\0GLIBC_2.28\0GLIBC_2.17\0
case $1 in
--version) echo "tersely of PLATFORM";;
exit) exit "$2";;
wait) trap 'echo told; exit 7' TERM; echo ready; while :; do sleep 0.1; done;;
die) kill -KILL $$;;
esac
"""


# What extras.py writes of a program.
EXTRAS = ["man/tersely.1", "man/tersely-run.1", *(f"completions/{name}" for name in extras.COMPLETIONS.values())]


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.tmp = Path(tempfile.mkdtemp())
        cls.out = cls.tmp / "out"
        for target in TARGETS:
            program = cls.tmp / "binaries" / target.triple / target.program
            program.parent.mkdir(parents=True)
            program.write_bytes(STAND_IN.replace(b"PLATFORM", target.triple.encode()))
            for native in filter(None, map(target.native, ("python", "node"))):
                (program.parent / native).write_bytes(b"\0GLIBC_2.17\0" + native.encode())
        beside = cls.tmp / "binaries/extras"
        for path in EXTRAS:
            (beside / path).parent.mkdir(parents=True, exist_ok=True)
            (beside / path).write_text(path)
        assemble.main(cls.tmp / "binaries", cls.out, complete=True)

    @classmethod
    def tearDownClass(cls) -> None:
        shutil.rmtree(cls.tmp)

    def test_there_is_a_wheel_for_every_platform(self) -> None:
        names = sorted(path.name.split("-", 4)[4] for path in (self.out / "wheels").iterdir())
        self.assertEqual(names, [
            "macosx_11_0_arm64.whl",
            "macosx_11_0_x86_64.whl",
            "manylinux_2_17_aarch64.musllinux_1_1_aarch64.whl",
            "manylinux_2_17_x86_64.musllinux_1_1_x86_64.whl",
            "manylinux_2_28_aarch64.whl",
            "manylinux_2_28_x86_64.whl",
            "win_amd64.whl",
        ])

    def test_the_native_part_is_where_it_can_be_loaded(self) -> None:
        for path in (self.out / "wheels").iterdir():
            with zipfile.ZipFile(path) as wheel:
                natives = [name for name in wheel.namelist() if name.startswith("tersely/_native.") and not name.endswith(".pyi")]
            expected = [] if "musl" in path.name else ["tersely/_native.pyd" if "win" in path.name.split("-")[-1][:3] else "tersely/_native.abi3.so"]
            self.assertEqual((natives, "abi3" in path.name), (expected, bool(expected)), path.name)
        for path in (self.out / "npm").glob("tersely-*-*-*.tgz"):
            with tarfile.open(path) as tarball:
                has_native = "package/tersely.node" in tarball.getnames()
            self.assertEqual(has_native, "musl" not in path.name, path.name)

    def test_a_wheel_records_what_is_in_it(self) -> None:
        for path in (self.out / "wheels").iterdir():
            with zipfile.ZipFile(path) as wheel:
                info = f"tersely-{version()}.dist-info"
                rows = {name: (hash, size) for name, hash, size in csv.reader(wheel.read(f"{info}/RECORD").decode().splitlines())}
                self.assertEqual(sorted(rows), sorted(wheel.namelist()))
                for name in set(rows) - {f"{info}/RECORD"}:
                    data = wheel.read(name)
                    hash = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                    self.assertEqual(rows[name], (f"sha256={hash}", str(len(data))))
                scripts = [entry for entry in wheel.infolist() if "/scripts/" in entry.filename]
                self.assertEqual([entry.external_attr >> 16 for entry in scripts], [0o100755])

    def test_checksums_are_right(self) -> None:
        subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=self.out / "download", check=True)
        named = {line.split()[1] for line in (self.out / "download/SHA256SUMS").read_text().splitlines()}
        self.assertEqual(named | {"SHA256SUMS"}, {path.name for path in (self.out / "download").iterdir()})

    def test_the_same_programs_make_the_same_bytes(self) -> None:
        again = self.tmp / "again"
        assemble.main(self.tmp / "binaries", again, complete=True)
        for path in (path for path in self.out.rglob("*") if path.is_file()):
            self.assertEqual(path.read_bytes(), (again / path.relative_to(self.out)).read_bytes(), path.name)

    def test_the_formula_has_a_checksum_for_each_archive(self) -> None:
        formula = (self.out / "download/tersely.rb").read_text()
        for triple in ("x86_64-apple-darwin", "aarch64-apple-darwin", "x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl"):
            archive = self.out / f"download/tersely-{triple}.tar.gz"
            self.assertIn(f'{archive.name}"\n      sha256 "{hashlib.sha256(archive.read_bytes()).hexdigest()}"', formula)

    def test_every_archive_has_pages_and_completions(self) -> None:
        for target in TARGETS:
            name = f"tersely-{target.triple}"
            if "windows" in target.triple:
                with zipfile.ZipFile(self.out / f"download/{name}.zip") as archive:
                    names = archive.namelist()
            else:
                with tarfile.open(self.out / f"download/{name}.tar.gz") as archive:
                    names = archive.getnames()
            self.assertLessEqual({f"{name}/{path}" for path in EXTRAS}, set(names))

    def test_the_formula_installs_pages_and_completions_of_the_archive(self) -> None:
        formula = (self.out / "download/tersely.rb").read_text()
        self.assertIn('man1.install Dir["man/*.1"]', formula)
        for name in ("tersely.bash", "_tersely", "tersely.fish"):
            self.assertIn(f"completions/{name}", EXTRAS)
            self.assertIn(f'_completion.install "completions/{name}"', formula)

    def test_a_platform_that_is_missing_is_an_error_when_all_are_asked_for(self) -> None:
        with tempfile.TemporaryDirectory() as folder, self.assertRaises(SystemExit):
            assemble.main(Path(folder), self.out, complete=True)

    @unittest.skipUnless(deb.available(), "needs dpkg-deb")
    def test_the_debian_package_says_what_it_needs(self) -> None:
        path = self.out / f"download/tersely_{version()}-1_arm64.deb"
        field = subprocess.run(["dpkg-deb", "--field", path, "Architecture", "Depends"], capture_output=True, text=True, check=True)
        self.assertEqual(field.stdout, "Architecture: arm64\nDepends: libc6 (>= 2.28), libgcc-s1\n")
        listed = subprocess.run(["dpkg-deb", "--contents", path], capture_output=True, text=True, check=True).stdout
        pages = [f"usr/share/man/man1/{name}.1.gz" for name in ("tersely", "tersely-run")]
        for file in ("usr/bin/tersely", *pages, *deb.COMPLETIONS.values()):
            self.assertIn(f"./{file}\n", listed)
        self.assertNotIn("/usr/local/bin", listed)


@unittest.skipUnless(sys.platform == "linux" and os.uname().machine == "x86_64", "stand-ins are scripts")
class Launcher(unittest.TestCase):
    """Behind npm, from a registry that has the packages of every platform."""

    setUpClass = Packages.__dict__["setUpClass"]
    tearDownClass = Packages.__dict__["tearDownClass"]

    def setUp(self) -> None:
        if not (self.tmp / "prefix").exists():
            shelf = Shelf(self.out)
            command = ["npm", "install", "--silent", "--global", "--prefix", self.tmp / "prefix", "--cache", self.tmp / "cache"]
            subprocess.run([*command, "--registry", f"{shelf.url}/npm/", "tersely"], check=True)
            shelf.shutdown()
            shelf.server_close()
        self.program = self.tmp / "prefix/bin/tersely"

    def test_npm_takes_the_platform_that_fits_and_no_other(self) -> None:
        said = subprocess.run([self.program, "--version"], capture_output=True, text=True).stdout
        self.assertIn("x86_64-unknown-linux-", said)
        taken = [path.name for path in self.tmp.glob("prefix/**/@tersely/*")]
        self.assertTrue(all(name.startswith("linux-x64-") for name in taken), taken)

    def test_exit_codes_pass(self) -> None:
        self.assertEqual(subprocess.run([self.program, "exit", "42"]).returncode, 42)

    def test_a_signal_that_ends_the_program_ends_the_launcher(self) -> None:
        self.assertEqual(subprocess.run([self.program, "die"]).returncode, -signal.SIGKILL)

    def test_a_signal_is_handed_on(self) -> None:
        with subprocess.Popen([self.program, "wait"], stdout=subprocess.PIPE, text=True) as launcher:
            self.assertEqual(launcher.stdout.readline(), "ready\n")
            launcher.terminate()
            self.assertEqual(launcher.communicate(timeout=30), ("told\n", None))
            self.assertEqual(launcher.returncode, 7)

    def test_without_a_platform_package_it_says_what_to_do(self) -> None:
        bare = self.tmp / "bare"
        with tarfile.open(self.out / f"npm/tersely-{version()}.tgz") as tarball:
            tarball.extractall(bare, filter="data")
        done = subprocess.run(["node", bare / "package/bin/tersely.js"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("install again without --omit=optional", done.stderr)


if __name__ == "__main__":
    unittest.main()
