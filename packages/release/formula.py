"""Writes the Homebrew formula for the archives of a release."""

import hashlib
from pathlib import Path

DOWNLOADS = "https://github.com/tersely/tersely/releases/download/v{version}"
PLACES = {
    "on_macos": {"on_arm": "aarch64-apple-darwin", "on_intel": "x86_64-apple-darwin"},
    "on_linux": {"on_arm": "aarch64-unknown-linux-musl", "on_intel": "x86_64-unknown-linux-musl"},
}
FORMULA = """\
class Tersely < Formula
  desc "Fewer tokens for the tool output of coding agents"
  homepage "https://github.com/tersely/tersely"
  version "{version}"
  license any_of: ["MIT", "Apache-2.0"]

{places}
  def install
    bin.install "tersely"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/tersely.bash" => "tersely"
    zsh_completion.install "completions/_tersely"
    fish_completion.install "completions/tersely.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{{bin}}/tersely --version")
    assert_equal "[1,2]", pipe_output("#{{bin}}/tersely encode | #{{bin}}/tersely decode", "[1, 2]").strip
  end
end
"""


def write(archives: dict[str, Path], version: str, out: Path) -> Path | None:
    """`archives` by triple; without all four there is nothing to write."""
    if not all(triple in archives for place in PLACES.values() for triple in place.values()):
        return None
    places = "\n".join(_system(name, place, archives, version) for name, place in PLACES.items())
    path = out / "tersely.rb"
    path.write_text(FORMULA.format(version=version, places=places))
    return path


def _system(name: str, place: dict[str, str], archives: dict[str, Path], version: str) -> str:
    lines = [f"  {name} do"]
    for processor, triple in place.items():
        archive = archives[triple]
        hash = hashlib.sha256(archive.read_bytes()).hexdigest()
        lines += [
            f"    {processor} do",
            f'      url "{DOWNLOADS.format(version=version)}/{archive.name}"',
            f'      sha256 "{hash}"',
            "    end",
        ]
    return "\n".join([*lines, "  end", ""])
