"""Holds `compress` in process to `tersely compress --body`, byte for byte, in every conversation of the corpora.

    python equal.py PROGRAM OUT [TURNS]

Each conversation is compared at its end and at TURNS earlier turns (2 unless told; `all` for every one). OUT gets what was
compared, for equal.mjs. Every output of the corpora is compared with `tersely compress` and restored.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import tersely
from tersely import core

ROOT = Path(__file__).resolve().parents[1]
LARGER = Path(os.environ.get("TERSELY_CORPUS", ROOT / "../shared/corpus"))
CORPORA = [root for root in (ROOT / "corpus", LARGER) if root.is_dir()]
FORMATS = {"anthropic": ("anthropic", "messages"), "openai": ("chat", "messages"), "responses": ("responses", "input"), "gemini": ("gemini", "contents")}
# Settings of the machine must not decide.
BARE = {"PATH": os.environ["PATH"], "HOME": tempfile.mkdtemp(prefix="home-")}


def main(program: str, out: str, turns: str) -> None:
    with open(out, "w", encoding="utf-8", newline="\n") as lines, ThreadPoolExecutor(2) as pool:
        bodies = [body for root in CORPORA for body in _bodies(root, turns)]
        sent = pool.map(lambda body: _run(program, ["compress", "--body", "--provider", body["format"]], body["text"]), bodies)
        faults = 0
        for body, expected in zip(bodies, sent):
            faults += not _equal(body, expected)
            lines.write(json.dumps({**body, "sent": expected.decode()}) + "\n")
        print(f"{len(bodies)} requests: {faults} differ")
        outputs = [path.read_bytes() for root in CORPORA for path in sorted((root / "outputs").rglob("*")) if path.is_file()]
        texts = [text for text in outputs if _is_text(text)][:: 1 if turns == "all" else 4]
        words = ["compress", "--loss=none"]
        printed = pool.map(lambda text: _run(program, words, text.decode()), texts)
        wrong = sum(not _equal_text(text.decode(), expected) for text, expected in zip(texts, printed))
        print(f"{len(texts)} outputs: {wrong} differ or do not come back")
    os.rmdir(BARE["HOME"])
    if faults or wrong or not bodies or not texts:
        sys.exit(1)


def _bodies(root: Path, turns: str) -> Iterator[dict[str, str]]:
    for path in sorted((root / "conversations").glob("*.json")):
        format, place = FORMATS[path.name.split(".")[-2]]
        request = json.loads(path.read_text(encoding="utf-8"))
        messages = request[place]
        # A turn ends before the model speaks.
        ends = [end for end in range(1, len(messages)) if messages[end].get("role") in ("assistant", "model") or "call" in str(messages[end].get("type"))]
        chosen = ends if turns == "all" else ends[:: max(1, len(ends) // max(1, int(turns)))][: int(turns)]
        for end in [*chosen, len(messages)]:
            text = json.dumps({**request, place: messages[:end]}, ensure_ascii=False, separators=(",", ":"))
            yield {"name": f"{path.name} to {end}", "format": format, "place": place, "text": text}


def _equal(body: dict[str, str], expected: bytes) -> bool:
    """The request as a whole, and its messages alone."""
    data = body["text"].encode("utf-8", "surrogatepass")
    _, found = core.call("request", {"provider": body["format"]}, data)
    request = json.loads(body["text"])
    small = tersely.compress(request[body["place"]], model=request.get("model"), format=body["format"], loss="none")
    same = found == expected and tersely.restore(small, format=body["format"]) == request[body["place"]]
    if not same:
        print(f"{body['name']}: {'does not come back' if found == expected else 'differs'}")
    return same


def _equal_text(text: str, expected: bytes) -> bool:
    small = tersely.compress(text, loss="none")
    return small.encode() == expected and tersely.restore(small) == text


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _run(program: str, words: list[str], text: str) -> bytes:
    return subprocess.run([program, *words], input=text.encode(), env=BARE, stdout=subprocess.PIPE, check=True).stdout


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "2")
