"""Streams with hidden calls in them, read by the official SDKs.

The name of the model says what the upstream does: never ask, ask once, ask beside a call of the client's own, ask without end, or fail once it has asked.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from agents import HERE
from asking import OVERLOADED, Asking, reference
from clients import PATIENCE, Server
from setup import CACHE
from speech import OWN, READ, SHAPES, TOOL, WROTE, Call, Say, Text, is_hidden

LOOK, DONE = Text(("Let me ", "see. ")), Text(("The disk ", "is full."))
# How often a model is answered within one response.
ROUNDS = 5
# How a response ends that calls a tool, and one that does not.
ENDS = {
    "messages": ("tool_use", "end_turn"),
    "chat": ("tool_calls", "stop"),
    "responses": ("completed", "completed"),
    "gemini": ("STOP", "STOP"),
}

PYTHON = [str(CACHE / "python" / "bin" / "python"), "-W", "error", str(HERE / "sdk" / "spliced.py")]
NODE = ["node", "--throw-deprecation", str(HERE / "sdk" / "spliced.mjs")]

# An SDK: how it is started, and what it speaks.
SDKS = {
    "Python anthropic": (PYTHON, "anthropic", "messages"),
    "Python openai, chat": (PYTHON, "chat", "chat"),
    "Python openai, responses": (PYTHON, "responses", "responses"),
    "Python google-genai": (PYTHON, "gemini", "gemini"),
    "JS @anthropic-ai/sdk": (NODE, "anthropic", "messages"),
    "JS openai, chat": (NODE, "chat", "chat"),
    "JS openai, responses": (NODE, "responses", "responses"),
}


def log() -> str:
    """A test run that is mostly good news."""
    cases = [f"test disk::case_{n:03} ... {'FAILED' if n == 77 else 'ok'}\n" for n in range(200)]
    return "".join(cases) + "\nfailures:\n    disk::case_077\n\ntest result: FAILED. 199 passed; 1 failed; 0 ignored\n"


def script(body: dict, tools: list[str], results: list[tuple[str, str]]) -> list[Say]:
    """What the upstream says."""
    assert tools == [OWN, TOOL], tools
    model = body.get("model") or body["path"].split("/models/")[1].split(":")[0]
    asked = [text for mark, text in results if is_hidden(mark)]
    assert not asked or asked[0] == log(), asked[0][:200]
    ask = Call(TOOL, {"id": reference(results)})
    match model:
        case "plain":
            return [LOOK, DONE]
        case "mixed":
            return [LOOK, ask, Call(OWN, {"command": "ls"})]
        case "six":
            return [LOOK, ask]
        case "fails":
            return [] if asked else [LOOK, ask]
        case _:
            return [DONE] if asked else [LOOK, ask]


def expected(shape: str, model: str) -> dict:
    """What a client should make of it."""
    calls = [OWN] if model == "mixed" else []
    said = {"mixed": LOOK.whole, "six": LOOK.whole * (ROUNDS + 1)}.get(model, LOOK.whole + DONE.whole)
    rounds = {"one": 2, "six": ROUNDS + 1}.get(model, 1)
    return {"text": said, "calls": calls, "usage": [rounds * READ, rounds * WROTE], "end": ENDS[shape][0 if calls else 1]}


def is_right(shape: str, model: str, got: dict) -> bool:
    """Whether an SDK made of a response what it should; a failure is an error that names the upstream's status."""
    if model == "fails":
        return str(OVERLOADED) in got.get("words", "")
    return got == expected(shape, model)


def splices(binary: Path, name: str) -> list[str]:
    """Sends every request with one SDK; gives what is wrong."""
    words, word, shape = SDKS[name]
    cases = [(model, streams) for model in ["plain", "one", "mixed", "six", "fails"] for streams in [False, True]]
    upstream = Asking(script, pause=0.001)
    server = Server(binary, upstream.url)
    url = f"http://127.0.0.1:{server.address[1]}"
    lines = [line(shape, model, streams) for model, streams in cases]
    env = {"NODE_MODULES": str(CACHE / "npm" / "node_modules"), "PATH": os.environ["PATH"]}
    done = subprocess.run(
        [*words, url, word], input="".join(lines), env=env, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )
    server.stop()
    upstream.shutdown()
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    faults = [f"{name}: {done.stderr.strip()[-800:]}"] if done.returncode or done.stderr else []
    for (model, streams), got in zip(cases, answers):
        if not is_right(shape, model, got):
            faults.append(f"{name}, {model}, {'streamed' if streams else 'whole'}: {got}, not {expected(shape, model)}")
    right = len(cases) - len(faults) if len(answers) == len(cases) else len(answers)
    print(f"{name}: {right} of {len(cases)} responses as expected", flush=True)
    return faults


def line(shape: str, model: str, streams: bool) -> str:
    """A request for an SDK."""
    request = {"model": model, **SHAPES[shape].request(model, streams, log())}
    return json.dumps({"streams": streams, "request": request}) + "\n"
