"""A provider whose model is a script that knows the answer: for trying the recipe where there is no key.

    python3 scripted.py --tasks FOLDER --binary tersely -- run.py …

It looks around, runs the tests, searches, reads the file, repairs the line, runs the tests again, and ends. One attempt in six
"repairs" another line, by the nonce, which no arm can influence. It reads nothing of what its tools say but whether tests ran, so
whether a model understands what Tersely sends is not tried here. Tokens are counted by `tersely count` (o200k) and cached as a provider
would: what the request before began with, block by block, is read from the cache, and the rest is written to it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "trials" / "clients"))

from asking import Asking, Player  # noqa: E402
from speech import Call, Say, Text, shape_of, streams  # noqa: E402
from upstream import arguments, shell  # noqa: E402

NONCE = re.compile(r"This is session ([0-9a-f]{24})\.")
FAILS = 6
# The tools of agent.py that are for files take what the script gives them; those of the same name elsewhere do not.
OWN = {"bash", "read", "edit"}


class Counter:
    """Tokens of texts; each text is counted once."""

    def __init__(self, binary: Path) -> None:
        self.binary, self.known, self.lock = binary, {}, threading.Lock()

    def counts(self, texts: list[str]) -> list[int]:
        with self.lock, tempfile.TemporaryDirectory() as folder:
            fresh = list(dict.fromkeys(text for text in texts if text not in self.known))
            files = [Path(folder) / f"{number}.txt" for number in range(len(fresh))]
            for path, text in zip(files, fresh, strict=True):
                path.write_text(text)
            if files:
                done = subprocess.run([self.binary, "count", "--json", *files], capture_output=True, text=True, check=True)
                self.known.update(zip(fresh, [one["tokens"] for one in json.loads(done.stdout)["files"]], strict=True))
            return [self.known[text] for text in texts]


def blocks(body: dict) -> list[str]:
    """What a model reads, in the order in which providers cache it. Marks for the cache are no words."""
    def plain(value: object) -> str:
        return json.dumps(bare(value), ensure_ascii=False)
    found = [plain(body.get("tools") or []), plain(body.get("system") or body.get("instructions") or "")]
    for message in body.get("messages") or body.get("input") or []:
        content = message.get("content") if isinstance(message, dict) else message
        parts = content if isinstance(content, list) else [message]
        found += [plain(part) for part in parts]
    return found


def bare(value: object) -> object:
    """A value without marks for the cache."""
    if isinstance(value, dict):
        return {key: bare(one) for key, one in value.items() if key != "cache_control"}
    return [bare(one) for one in value] if isinstance(value, list) else value


class Model:
    """The script, and what its provider remembers of every conversation."""

    def __init__(self, tasks: Path, binary: Path) -> None:
        self.counter, self.seen = Counter(binary), {}
        self.tasks = {(path.parent / "prompt.md").read_text().strip(): known(path.parent) for path in tasks.glob("*/task.json")}

    def says(self, body: dict, tools: list[str], results: list[tuple[str, str]]) -> list[Say]:
        """The next step, by how many tools have answered."""
        words = json.dumps(body, ensure_ascii=False)
        task = next((task for prompt, task in self.tasks.items() if json.dumps(prompt, ensure_ascii=False)[1:-1] in words), None)
        found = NONCE.search(words)
        own = shell(tools)
        if task is None or found is None or own is None:
            return [Text(("Repair a bug",))]
        is_right = int(found[1], 16) % FAILS != 0
        steps = script(task, own, is_right, set(tools) - {"expand_context"} == OWN)
        if len(results) < len(steps):
            return steps[len(results)]
        # The one thing it looks at: a recipe in which the tools do nothing would look as if it worked.
        if " passed" not in results[-1][1]:
            print(f"{task['path']}: the agent's tests did not run: {results[-1][1][:300]}", file=sys.stderr, flush=True)
        return [Text(("A small ", "slip ", "in the source; it is repaired."))]

    def usage(self, body: dict, says: list[Say]) -> tuple[int, int, int]:
        """Tokens that were read from the cache, that were new, and that were written."""
        now = blocks(body)
        found = NONCE.search(json.dumps(body))
        before = self.seen.get(found[1] if found else "", [])
        shared = next((at for at, (one, other) in enumerate(zip(before, now, strict=False)) if one != other), min(len(before), len(now)))
        if found and len(now) > 3:
            self.seen[found[1]] = now
        said = [say.whole if isinstance(say, Text) else json.dumps(say.given) for say in says]
        counts = self.counter.counts([*now, *said])
        return sum(counts[:shared]), sum(counts[shared : len(now)]), sum(counts[len(now) :])


def known(folder: Path) -> dict:
    """A task, with the change that undoes its bug as an edit: lines around the bug that stand in the file once."""
    task = json.loads((folder / "task.json").read_text())
    data = (folder / "workspace" / task["path"]).read_bytes()
    start, end = task["start"], task["start"] + len(task["is"].encode())
    low, high = start, end
    while True:
        low, high = data.rfind(b"\n", 0, max(0, low - 1)) + 1, data.find(b"\n", high) + 1 or len(data)
        if data.count(data[low:high]) == 1:
            break
    repaired = data[low:start] + task["was"].encode() + data[end:high]
    return {**task, "edit": {"path": task["path"], "old": data[low:high].decode(), "new": repaired.decode()}}


def script(task: dict, own: str, is_right: bool, has_files: bool) -> list[list[Say]]:
    """What the model does, step by step: by a shell alone, or with tools for files where the agent has them."""
    path, folder = task["path"], Path(task["path"]).parent
    words = max(re.findall(r"[a-z]{3,}", task["hidden"][0]["function"].removeprefix("test")), key=len, default="def")
    first = max(1, task["line"] - 60)

    def command(text: str, say: str) -> list[Say]:
        return [Text((say,)), Call(own, arguments(own, text))]

    def look(offset: int, limit: int) -> Call:
        text = f"sed -n '{offset},{offset + limit - 1}p' {path} | cat -n"
        return Call("read", {"path": path, "offset": offset, "limit": limit}) if has_files else Call(own, arguments(own, text))

    tests = Path(task["hidden"][0]["file"]).parent
    change = Call("edit", task["edit"]) if has_files and is_right else Call(own, arguments(own, repair(task, is_right)))
    return [
        command(f"ls -la . {folder}; find . -name '*.py' | xargs wc -l", "Let me look around."),
        command("python -m pytest -q", "Do the tests that are here pass?"),
        command(f"grep -rni '{words}' --include='*.py' . | head -150", "Where is this dealt with?"),
        [Text(("This looks like the place.",)), look(1, 2000)],
        command(f"ls {tests}; head -80 {task['hidden'][0]['file']}", "How is it tested?"),
        [Text(("Closer.",)), look(first, 120)],
        [Text(("Here is the slip.",)), change],
        [Text(("Is it as I meant it?",)), look(first, 120)],
        command("python -m pytest -q", "Do the tests still pass?"),
    ]


def repair(task: dict, is_right: bool) -> str:
    """A command that puts back what was there; or, where the model is to fail, one that changes nothing that matters."""
    if not is_right:
        return f"printf '\\n# Looked at.\\n' >> {task['path']}"
    program = (
        "import json,sys; path,start,is_,was=json.loads(sys.argv[1]); data=open(path,'rb').read(); "
        "end=start+len(is_.encode()); assert data[start:end]==is_.encode(); "
        "open(path,'wb').write(data[:start]+was.encode()+data[end:])"
    )
    given = json.dumps([task["path"], task["start"], task["is"], task["was"]])
    quoted = given.replace("'", "'\\''")
    return f"python -c \"{program}\" '{quoted}' && echo done"


class Provider(Asking):
    """Listens, and answers in the shape of each request."""

    def __init__(self, model: Model) -> None:
        self.model = model
        super().__init__(model.says, 0.0, Counting)


class Counting(Player):
    """Answers one connection, with counts."""

    server: Provider

    def do_POST(self) -> None:
        """Say what the script says, and what was counted."""
        body = json.loads(self.keep() or b"{}")
        shape = shape_of(self.path)
        if shape is None or body.get("max_tokens") == 1:
            self.whole({"input_tokens": 10})
            return
        turn = len(self.server.requests)
        says = self.server.script(body, shape.tools(body), shape.results(body))
        cached, fresh, wrote = self.server.model.usage(body, says)
        if self.path.split("?")[0].endswith("/messages"):
            usage = {"input_tokens": 0, "cache_read_input_tokens": cached, "cache_creation_input_tokens": fresh, "output_tokens": wrote}
        else:
            names = ("input", "output") if self.path.endswith("/responses") else ("prompt", "completion")
            usage = {f"{names[0]}_tokens": cached + fresh, f"{names[1]}_tokens": wrote, "total_tokens": cached + fresh + wrote}
            usage[f"{names[0]}_tokens_details"] = {"cached_tokens": cached}
        if streams(self.path, body):
            self.chunks([with_usage(event, usage) for event in shape.events(turn, says)], 0.0)
        else:
            self.whole({**shape.whole(turn, says), "usage": usage})


def with_usage(event: bytes, usage: dict) -> bytes:
    """An event that says these counts where it says any."""
    head, mark, data = event.partition(b"data: ")
    if not data.startswith(b"{"):
        return event
    told = json.loads(data)
    for holder in (told, told.get("message"), told.get("response")):
        if isinstance(holder, dict) and holder.get("usage"):
            holder["usage"] = {**holder["usage"], **usage}
    return head + mark + json.dumps(told).encode() + b"\n\n"


def main() -> None:
    """Start the provider, and run.py with its address."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=Path, required=True)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("rest", nargs="*", help="arguments of run.py")
    args = parser.parse_args()
    provider = Provider(Model(args.tasks, args.binary.resolve()))
    words = [sys.executable, str(HERE / "run.py"), "--scripted", "--upstream", provider.url, "--tasks", str(args.tasks)]
    env = {**os.environ, "ANTHROPIC_API_KEY": "none", "OPENAI_API_KEY": "none"}
    raise SystemExit(subprocess.run([*words, "--binary", str(args.binary), *args.rest], env=env, check=False).returncode)


if __name__ == "__main__":
    main()
