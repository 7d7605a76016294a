#!/usr/bin/env python3
"""Keeps the few inputs of a fuzz corpus that reach the most, for `cargo test` and for the next time.

    just fuzz-keep TARGET     # fuzz/corpus/TARGET -> fuzz/regressions/TARGET/kept-HASH
"""

import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST_FILES = 40
MOST_BYTES = 2048


def edges(target: str, corpus: Path) -> dict[Path, set[str]]:
    """What each input reaches, as libFuzzer writes it down when it merges a corpus."""
    with tempfile.TemporaryDirectory() as folder:
        control, merged = Path(folder, "control"), Path(folder, "merged")
        merged.mkdir()
        command = ["cargo", "fuzz", "run", target, str(merged), str(corpus)]
        options = ["-set_cover_merge=1", f"-merge_control_file={control}", "-use_counters=0", f"-max_len={MOST_BYTES}"]
        subprocess.run([*command, "--", *options], check=True, cwd=ROOT, env=os.environ | {"RUSTC_BOOTSTRAP": "1"})
        lines = control.read_text().splitlines()
    files = [Path(name) for name in lines[2 : 2 + int(lines[0])]]
    covered = (line.split() for line in lines if line.startswith("FT "))
    return {files[int(at)]: set(reached) for _, at, *reached in covered}


def fewest(reached: dict[Path, set[str]]) -> list[Path]:
    """The inputs that add the most, one after the other; of equals the shortest."""
    kept: list[Path] = []
    seen: set[str] = set()
    sizes = {file: file.stat().st_size for file in reached}
    left = {file: its for file, its in reached.items() if sizes[file] <= MOST_BYTES}
    while left and len(kept) < MOST_FILES:
        best = max(left, key=lambda file: (len(left[file] - seen), -sizes[file], file.name))
        if not left[best] - seen:
            break
        seen |= left.pop(best)
        kept.append(best)
    print(f"{len(kept)} inputs reach {len(seen)} of {len(set().union(*reached.values()))} edges, in {sum(sizes[file] for file in kept):,} bytes")
    return kept


def main() -> None:
    (target,) = sys.argv[1:]
    home = ROOT / "fuzz/regressions" / target
    home.mkdir(parents=True, exist_ok=True)
    texts = [file.read_bytes() for file in fewest(edges(target, ROOT / "fuzz/corpus" / target))]
    for old in home.glob("kept-*"):
        old.unlink()
    for text in texts:
        (home / f"kept-{hashlib.sha256(text).hexdigest()[:12]}").write_bytes(text)


if __name__ == "__main__":
    main()
