"""Makes the corpus, or checks it.

    python3 corpus/make.py                  # everything: about six minutes
    python3 corpus/make.py --only git       # outputs whose path contains `git`
    python3 corpus/make.py --check          # hashes, sizes, evidence, and nothing of a machine inside

Needs Linux, a writable /srv, git, bash, Python 3.11 or later, Node 20 with npm, pip, Go, a JDK, gcc and make, Rust with
clippy, sqlite3, jq, kubectl, and a package registry for pip and npm. Conversations also need the agents that
`benchmarks/clients/setup.py` installs; the log of Valkey needs the server that `just store` installs. `--tersely` names the
binary that counts tokens, `--target` the build folder whose tests of the codec are run. `--check` needs Python only.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import manifest
import questions

HERE = Path(__file__).resolve().parent
LARGEST = 64_000


def everything(target: Path, only: str) -> Iterator[tuple[str, str, str]]:
    """Path, source and text of all that is wanted."""
    import commands
    import place
    import recording

    place.prepare()
    place.run(commands.HISTORY)
    for path, source, text in outputs(target, only):
        yield f"outputs/{path}", source, text
    for path, source, text in recording.made(only):
        yield f"conversations/{path}", source, text
    if (HERE / "conversations").is_dir():
        for path, source, text in recording.excerpts(HERE / "conversations"):
            yield f"outputs/{path}", source, text


def outputs(target: Path, only: str) -> Iterator[tuple[str, str, str]]:
    """Path under outputs/, source and text of each output whose path is wanted."""
    import commands
    import mcp_calls
    import place
    import servers

    (place.USER / "out").mkdir(exist_ok=True)
    for path, where, command in commands.COMMANDS:
        if only in path:
            yield path, commands.source(where, command), place.run(command, where)
    if only in "build/codec-tests.txt":
        yield tests_of_codec(target)
    for module in [servers, mcp_calls]:
        if any(only in path for path in module.PATHS):
            yield from module.made()


def tests_of_codec(target: Path) -> tuple[str, str, str]:
    """What the tests of the codec print; they were built with `cargo test --no-run`."""
    import place

    built = [path for path in (target / "debug" / "deps").glob("tersely_codec-*") if not path.suffix]
    if not built:
        raise SystemExit(f"no tests of the codec in {target}: build them with `cargo test --no-run`, or name a folder with --target")
    newest = max(built, key=lambda path: path.stat().st_mtime)
    text = place.run(f"{newest} --test-threads 1", place.PROJECT / "crates" / "codec")
    return "build/codec-tests.txt", "the built unit tests of tersely-codec, as `cargo test` runs them", text


def keep(path: str, text: str) -> None:
    """Writes a file of the corpus."""
    place = HERE / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    size = len(text.encode())
    print(f"{size:>7} {path}{'' if 1000 <= size <= LARGEST or path.startswith('conversations') else '  <- not 1 to 60 KB'}", flush=True)


def main() -> None:
    """The command line."""
    root = HERE.parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="outputs and conversations whose path contains this")
    parser.add_argument("--check", action="store_true", help="check what is there, make nothing")
    parser.add_argument("--list", action="store_true", help="make nothing but the manifest and the questions")
    parser.add_argument("--tersely", type=Path, default=root / "target" / "release" / "tersely", help="the binary that counts tokens")
    parser.add_argument("--target", type=Path, default=root / "target", help="the folder with built tests")
    args = parser.parse_args()
    if args.check:
        manifest.check()
    sources = {}
    if not args.list:
        for path, source, text in everything(args.target.resolve(), args.only):
            keep(path, text)
            sources[path] = source
    manifest.write(args.tersely.resolve(), sources)
    questions.write(HERE)


if __name__ == "__main__":
    main()
