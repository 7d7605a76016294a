"""Gives a recording of svg-term a poster: it begins with its last screen, then plays; where motion is not wanted, it stays there.

    python3 poster.py RECORDING PICTURE
"""

import re
import sys
from pathlib import Path

POSTER = 3.0  # seconds that the last screen stands before the recording plays
KEY = re.compile(r"([\d.]+)%\{transform:translateX\((-?[\d.]+)(?:px)?\)\}")
FRAMES = re.compile(r"@keyframes (\w+)\{((?:[\d.]+%\{[^}]*\}|from\{[^}]*\}|to\{[^}]*\})+)\}")


def with_poster(svg):
    """The picture, with the poster in front."""
    keyframes = FRAMES.search(svg)
    duration = re.search(r"animation-duration:([\d.]+)s", svg)
    if not keyframes or not duration:
        sys.exit("this is not a recording of svg-term")
    name, body = keyframes.groups()
    body = body.replace("from{", "0%{").replace("to{", "100%{")
    keys = [(float(percent), float(left)) for percent, left in KEY.findall(body)]
    last, seconds = keys[-1][1], float(duration[1])
    total = seconds + POSTER
    moved = [f"{100 * (POSTER + percent / 100 * seconds) / total:.2f}%{{transform:translateX({left:g}px)}}" for percent, left in keys]
    played = f"@keyframes {name}{{0%{{transform:translateX({last:g}px)}}{''.join(moved)}}}"
    still = f"@media (prefers-reduced-motion:reduce){{g[style]{{animation:none!important;transform:translateX({last:g}px)}}}}"
    return svg.replace(keyframes[0], played + still).replace(duration[0], f"animation-duration:{total:g}s")


if __name__ == "__main__":
    recording, picture = map(Path, sys.argv[1:])
    picture.write_text(with_poster(recording.read_text(encoding="utf-8")), encoding="utf-8")
