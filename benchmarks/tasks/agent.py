"""A small agent, for whoever has a key and no client: three tools, and a loop until the model calls none.

    ANTHROPIC_BASE_URL=… ANTHROPIC_API_KEY=… python3 agent.py --model NAME --system WORDS --prompt FILE

Speaks Anthropic's Messages (`--shape messages`) or OpenAI's Chat Completions (`--shape chat`: `OPENAI_BASE_URL`, `OPENAI_API_KEY`).
Works in the folder in which it is started.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

SYSTEM = "You repair programs. Your tools work in the folder of the program. Look before you change, and run the tests after."
TEXT = {"type": "string"}
TOOLS = {
    "bash": ("Runs a command in the folder and gives what it prints.", {"command": TEXT}, ["command"]),
    "read": (
        "Gives a file with numbers before its lines; `offset` is the first line, `limit` how many.",
        {"path": TEXT, "offset": {"type": "integer"}, "limit": {"type": "integer"}}, ["path"],
    ),
    "edit": ("Replaces a text in a file, which must stand in it once.", {"path": TEXT, "old": TEXT, "new": TEXT}, ["path", "old", "new"]),
}
LONGEST = 30_000
PATIENCE = 120
RETRIES = 5


def bash(command: str) -> str:
    """Run a command without the keys that this program has."""
    env = {name: value for name, value in os.environ.items() if not name.endswith(("_KEY", "_BASE_URL"))}
    try:
        done = subprocess.run(["bash", "-c", command], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return f"(ended after {PATIENCE} s)"
    text = done.stdout.decode(errors="replace")
    return text + (f"(exit code {done.returncode})" if done.returncode or not text else "")


def read(path: str, offset: int = 1, limit: int = 2000) -> str:
    """A file, as agents show files."""
    lines = Path(path).read_text(errors="replace").splitlines()
    return "\n".join(f"{number:6}\t{line}" for number, line in enumerate(lines, 1) if offset <= number < offset + limit)


def edit(path: str, old: str, new: str) -> str:
    """Replace a text."""
    text = Path(path).read_text()
    if text.count(old) != 1:
        return f"The text stands in {path} {text.count(old)} times, not once; nothing was changed."
    Path(path).write_text(text.replace(old, new))
    return f"{path} was changed."


def use(name: str, given: dict) -> str:
    """What a tool says; a fault is an answer too. Models give more than was asked for, as tools of other agents want it."""
    try:
        known = {field: value for field, value in given.items() if field in TOOLS[name][1]}
        said = {"bash": bash, "read": read, "edit": edit}[name](**known)
    except (KeyError, TypeError, OSError, UnicodeError) as fault:
        return f"{type(fault).__name__}: {fault}"
    return said if len(said) <= LONGEST else said[: LONGEST // 2] + "\n[…]\n" + said[-LONGEST // 2 :]


def post(url: str, headers: dict[str, str], body: dict) -> dict:
    """Ask, and ask again where the provider says that it is busy."""
    for turn in range(RETRIES):
        request = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json", **headers})
        try:
            with urllib.request.urlopen(request, timeout=600) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as fault:
            if fault.code != http.client.TOO_MANY_REQUESTS and fault.code < http.client.INTERNAL_SERVER_ERROR or turn == RETRIES - 1:
                raise SystemExit(f"{url} answered {fault.code}: {fault.read()[:500].decode(errors='replace')}") from None
        time.sleep(2**turn)
    raise SystemExit("no answer")


class Messages:
    """A conversation by Anthropic's Messages."""

    def __init__(self, model: str, system: str, prompt: str) -> None:
        self.url = os.environ["ANTHROPIC_BASE_URL"].rstrip("/") + "/v1/messages"
        self.headers = {"x-api-key": os.environ["ANTHROPIC_API_KEY"], "anthropic-version": "2023-06-01"}
        tools = [
            {"name": name, "description": words, "input_schema": {"type": "object", "properties": fields, "required": needed}}
            for name, (words, fields, needed) in TOOLS.items()
        ]
        block = {"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}
        self.messages = [{"role": "user", "content": [{"type": "text", "text": prompt}]}]
        self.body = {"model": model, "max_tokens": 8000, "system": [block], "tools": tools, "messages": self.messages}

    def turn(self) -> list[tuple[str, str, dict]]:
        """One answer: the calls in it. The last block is marked, as agents do, so that the next turn reads all from the cache."""
        last = self.messages[-1]["content"][-1]
        last["cache_control"] = {"type": "ephemeral"}
        content = post(self.url, self.headers, self.body)["content"]
        del last["cache_control"]
        self.messages.append({"role": "assistant", "content": content})
        return [(block["id"], block["name"], block["input"]) for block in content if block["type"] == "tool_use"]

    def answer(self, results: list[tuple[str, str]]) -> None:
        """What tools said."""
        blocks = [{"type": "tool_result", "tool_use_id": mark, "content": text} for mark, text in results]
        self.messages.append({"role": "user", "content": blocks})


class Chat:
    """A conversation by OpenAI's Chat Completions."""

    def __init__(self, model: str, system: str, prompt: str) -> None:
        base = os.environ["OPENAI_BASE_URL"].rstrip("/")
        self.url = f"{base}/chat/completions"
        self.headers = {"authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"}
        tools = [
            {"type": "function", "function": {
                "name": name, "description": words, "parameters": {"type": "object", "properties": fields, "required": needed},
            }}
            for name, (words, fields, needed) in TOOLS.items()
        ]
        self.messages = [{"role": "system", "content": system}, {"role": "user", "content": prompt}]
        self.body = {"model": model, "max_completion_tokens": 8000, "tools": tools, "messages": self.messages}

    def turn(self) -> list[tuple[str, str, dict]]:
        """One answer: the calls in it."""
        message = post(self.url, self.headers, self.body)["choices"][0]["message"]
        self.messages.append(message)
        return [(call["id"], call["function"]["name"], arguments(call["function"]["arguments"])) for call in message.get("tool_calls") or []]

    def answer(self, results: list[tuple[str, str]]) -> None:
        """What tools said."""
        self.messages += [{"role": "tool", "tool_call_id": mark, "content": text} for mark, text in results]


def arguments(text: str) -> dict:
    """The arguments of a call; a model can write what is none."""
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shape", choices=["messages", "chat"], default="messages")
    parser.add_argument("--model", required=True)
    parser.add_argument("--system", default="", help="what the system prompt begins with")
    parser.add_argument("--prompt", type=Path, required=True)
    parser.add_argument("--turns", type=int, default=60)
    args = parser.parse_args()
    system = f"{args.system}\n\n{SYSTEM}".strip()
    talk = {"messages": Messages, "chat": Chat}[args.shape](args.model, system, args.prompt.read_text())
    for _ in range(args.turns):
        calls = talk.turn()
        if not calls:
            return
        talk.answer([(mark, use(name, given)) for mark, name, given in calls])
    raise SystemExit(f"not done after {args.turns} turns")


if __name__ == "__main__":
    main()
