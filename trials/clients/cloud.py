"""Lets official SDKs take a tool turn at Bedrock, Azure OpenAI and Vertex through `tersely serve`, whole and streamed.

The upstream follows a script: it calls the client's tool, then fetches back what was left out of the result, and answers. Where a request is signed with AWS's keys, the
upstream checks the signature, and nothing may have changed. See README.md beside this file.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from agents import HERE
from asking import OVERLOADED, Asking, Player, reference
from aws import SECRET, STREAM, chunk, event, is_signed
from clients import PATIENCE, ROOT, Server
from setup import CACHE
from speech import OWN, READ, TOOL, WROTE, Call, Chat, Gemini, Messages, Responses, Say, Text, data, halves, has_calls, is_hidden, joined, mark
from splices import DONE, LOOK, ROUNDS, log
from tls import TlsDoor

PYTHON = [str(CACHE / "python" / "bin" / "python"), "-W", "error", str(HERE / "sdk" / "cloud.py")]
NODE = ["node", "--throw-deprecation", str(HERE / "sdk" / "cloud.mjs")]

# What the model does once it has a result; see splices.py.
MODELS = ["plain", "one", "mixed", "six", "fails"]


class Converse:
    """Bedrock's Converse."""

    @staticmethod
    def tools(body: dict) -> list[str]:
        return [tool["toolSpec"]["name"] for tool in body.get("toolConfig", {}).get("tools", [])]

    @staticmethod
    def results(body: dict) -> list[tuple[str, str]]:
        blocks = [block["toolResult"] for turn in body["messages"] for block in turn["content"] if "toolResult" in block]
        return [(block["toolUseId"], joined(block["content"])) for block in blocks]

    @staticmethod
    def usage() -> dict:
        counts = {"inputTokens": READ, "outputTokens": WROTE, "totalTokens": READ + WROTE}
        return {"usage": counts, "metrics": {"latencyMs": 5}}

    @classmethod
    def whole(cls, turn: int, says: list[Say]) -> dict:
        content = []
        for place, say in enumerate(says):
            use = {"toolUseId": mark(say, turn, place), "name": say.name, "input": say.given} if isinstance(say, Call) else None
            content.append({"toolUse": use} if use else {"text": say.whole})
        reason = "tool_use" if has_calls(says) else "end_turn"
        return {"output": {"message": {"role": "assistant", "content": content}}, "stopReason": reason, **cls.usage()}

    @classmethod
    def events(cls, turn: int, says: list[Say]) -> list[bytes]:
        events = [event("messageStart", {"role": "assistant"})]
        for place, say in enumerate(says):
            number = {"contentBlockIndex": place}
            if isinstance(say, Call):
                start = {"toolUse": {"toolUseId": mark(say, turn, place), "name": say.name}}
                events.append(event("contentBlockStart", {**number, "start": start}))
                deltas = [{"toolUse": {"input": piece}} for piece in halves(json.dumps(say.given))]
            else:
                deltas = [{"text": piece} for piece in say.pieces]
            events += [event("contentBlockDelta", {**number, "delta": delta}) for delta in deltas]
            events.append(event("contentBlockStop", number))
        reason = "tool_use" if has_calls(says) else "end_turn"
        return [*events, event("messageStop", {"stopReason": reason}), event("metadata", cls.usage())]


class Invoke(Messages):
    """Anthropic's Messages, as Bedrock wraps them."""

    @classmethod
    def events(cls, turn: int, says: list[Say]) -> list[bytes]:
        metrics = {"inputTokenCount": READ, "outputTokenCount": WROTE}
        events = [inner for one in Messages.events(turn, says) for inner in data(one)]
        return [chunk(one if one["type"] != "message_stop" else {**one, "amazon-bedrock-invocationMetrics": metrics}) for one in events]


def shape_of(path: str):
    """The shape of what is sent to a path."""
    ends = {
        r"/converse(-stream)?": Converse,
        r"/invoke(-with-response-stream)?": Invoke,
        r"/chat/completions": Chat,
        r"/responses": Responses,
        r":(stream)?[gG]enerateContent": Gemini,
        r":(stream)?[rR]awPredict": Messages,
    }
    return next(shape for end, shape in ends.items() if re.search(f"{end}$", path.split("?")[0]))


def model_of(path: str, body: dict) -> str:
    """The model that a request is for, which says what the upstream does."""
    found = re.search(r"/(?:model|models|deployments)/([^/:]+)", unquote(path))
    return found[1] if found else body["model"]


def streams(path: str, body: dict) -> bool:
    """Whether a request asks for events."""
    return bool(body.get("stream")) or "stream" in path.split("?")[0].rsplit("/", 1)[-1]


class Cloud(Player):
    """Answers one connection."""

    server: CloudUpstream

    def do_POST(self) -> None:
        """Say what the script says."""
        raw = self.keep()
        body, headers = json.loads(raw), {name.lower(): value for name, value in self.headers.items()}
        if headers.get("authorization", "").startswith("AWS4-"):
            right = is_signed("POST", self.path, headers, raw)
            self.server.signed.append(right)
            if not right:
                return self.whole({"message": "The request signature we calculated does not match the signature you provided."}, 403)
        shape, turn = shape_of(self.path), len(self.server.requests)
        says = self.server.play(model_of(self.path, body), shape.tools(body), shape.results(body))
        if not says:
            return self.whole({"message": "come again", "error": {"type": "overloaded_error", "message": "come again"}}, OVERLOADED)
        if not streams(self.path, body):
            return self.whole(shape.whole(turn, says))
        return self.events(STREAM if shape in (Converse, Invoke) else "text/event-stream", shape.events(turn, says))

    def events(self, kind: str, events: list[bytes]) -> None:
        """Events, each in two pieces, so that no chunk is one."""
        self.send_response(200)
        for name, value in [("content-type", kind), ("x-amzn-bedrock-content-type", "application/json"), ("transfer-encoding", "chunked")]:
            self.send_header(name, value)
        self.end_headers()
        for one in events:
            for piece in (one[:7], one[7:]):
                self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            time.sleep(0.001)
        self.wfile.write(b"0\r\n\r\n")


class CloudUpstream(Asking):
    """All the clouds in one, which remember whether what was left out came back, and whether signatures were right."""

    def __init__(self) -> None:
        self.fetched, self.signed, self.offered = [], [], set()
        super().__init__(lambda *_: [], handler=Cloud)

    def play(self, model: str, tools: list[str], results: list[tuple[str, str]]) -> list[Say]:
        """A call of the client's own tool, and then what the model is for."""
        self.offered.add(tuple(tools))
        if not results:
            return [Text(("I will ", "look. ")), Call(OWN, {"command": "run"})]
        asked = [text for name, text in results if is_hidden(name)]
        # A text is shown once in a response, however often it is asked for.
        self.fetched += [asked[0] == log()] if len(asked) == 1 else []
        ask = Call(TOOL, {"id": reference(results)})
        if TOOL not in tools:
            return [DONE]
        plays = {"plain": [LOOK, DONE], "mixed": [LOOK, ask, Call(OWN, {"command": "ls"})], "six": [LOOK, ask], "fails": [] if asked else [LOOK, ask]}
        return plays.get(model, [DONE] if asked else [LOOK, ask])


# How a response ends that calls a tool, and one that does not.
BLOCKS, CHOICES, ITEMS, PARTS = ("tool_use", "end_turn"), ("tool_calls", "stop"), ("completed", "completed"), ("STOP", "STOP")


@dataclass
class Sdk:
    """An SDK and the calls that it makes."""

    name: str
    words: list[str]
    way: str
    ends: tuple[str, str]
    # Where it is pointed: at the gateway, or at a door with TLS before it.
    scheme: str = "http"
    env: dict[str, str] = field(default_factory=dict)


KEYS = {"AWS_ACCESS_KEY_ID": "AKEXAMPLE", "AWS_SECRET_ACCESS_KEY": SECRET}
BEARER = {"AWS_BEARER_TOKEN_BEDROCK": "bedrock-api-key-example"}
KEYED = {"KEY_IN_HEADER": "bedrock-api-key-example"}

SDKS = [
    # With a key of its own accord, boto3 speaks TLS only.
    Sdk("boto3 `converse`, behind TLS", PYTHON, "converse", BLOCKS, "https", BEARER),
    Sdk("boto3 `invoke_model`, behind TLS", PYTHON, "invoke", BLOCKS, "https", BEARER),
    Sdk("boto3 `converse`, the key in a header", PYTHON, "converse", BLOCKS, "http", KEYED),
    Sdk("boto3 `invoke_model`, the key in a header", PYTHON, "invoke", BLOCKS, "http", KEYED),
    Sdk("anthropic `AnthropicBedrock`", PYTHON, "bedrock", BLOCKS, "http", BEARER),
    Sdk("openai `AzureOpenAI`, chat", PYTHON, "azure", CHOICES),
    Sdk("openai `AzureOpenAI`, responses", PYTHON, "azure-responses", ITEMS),
    Sdk("openai `OpenAI` at `/openai/v1`, chat", PYTHON, "azure-v1", CHOICES),
    Sdk("openai `OpenAI` at `/openai/v1`, responses", PYTHON, "azure-v1-responses", ITEMS),
    Sdk("google-genai, Vertex project", PYTHON, "vertex", PARTS),
    Sdk("google-genai, Vertex express", PYTHON, "express", PARTS),
    Sdk("anthropic `AnthropicVertex`", PYTHON, "anthropic-vertex", BLOCKS),
    Sdk("JS @aws-sdk/client-bedrock-runtime `Converse`", NODE, "converse", BLOCKS, "http", BEARER),
    Sdk("JS @aws-sdk/client-bedrock-runtime `InvokeModel`", NODE, "invoke", BLOCKS, "http", BEARER),
]
SIGNED = [
    Sdk("boto3 `converse`", PYTHON, "converse", BLOCKS, "http", KEYS),
    Sdk("boto3 `invoke_model`", PYTHON, "invoke", BLOCKS, "http", KEYS),
    Sdk("anthropic `AnthropicBedrock`", PYTHON, "bedrock", BLOCKS, "http", KEYS),
]


def expected(ends: tuple[str, str], model: str) -> dict:
    """What a client should make of the response to its result."""
    calls = [OWN] if model == "mixed" else []
    said = {"mixed": LOOK.whole, "six": LOOK.whole * (ROUNDS + 1), "signed": DONE.whole}.get(model, LOOK.whole + DONE.whole)
    rounds = {"one": 2, "six": ROUNDS + 1}.get(model, 1)
    return {"text": said, "calls": calls, "usage": [rounds * READ, rounds * WROTE], "end": ends[0 if calls else 1]}


def run(binary: Path, sdk: Sdk, models: list[str]) -> tuple[CloudUpstream, list[tuple[str, bool, dict]], list[str]]:
    """Every turn of one SDK: what the upstream saw, what came of each, and what is wrong."""
    upstream = CloudUpstream()
    server = Server(binary, upstream.url)
    door = TlsDoor(server.address)
    url = door.url if sdk.scheme == "https" else f"http://127.0.0.1:{server.address[1]}"
    cases = [(model, streamed) for model in models for streamed in (False, True)]
    lines = [json.dumps({"model": model, "streams": streamed, "result": log(), "tool": OWN}) + "\n" for model, streamed in cases]
    env = {"PATH": os.environ["PATH"], "AWS_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true", "HOME": "/nonexistent", **sdk.env}
    env |= {"NODE_MODULES": str(CACHE / "npm" / "node_modules"), "NODE_NO_WARNINGS": "1", "AWS_CA_BUNDLE": str(door.certificate)}
    done = subprocess.run(
        [*sdk.words, url, sdk.way], input="".join(lines), env=env, capture_output=True, text=True,
        timeout=PATIENCE, check=False,
    )
    door.close()
    server.stop()
    upstream.shutdown()
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    faults = [f"{sdk.name}: {(done.stderr or 'too few answers').strip()[-1500:]}"] if done.returncode or done.stderr or len(answers) != len(cases) else []
    return upstream, [(*case, answer) for case, answer in zip(cases, answers)], faults


def turns(binary: Path, sdk: Sdk) -> tuple[str, list[str]]:
    """A line of the table, and what is wrong."""
    upstream, played, faults = run(binary, sdk, MODELS)
    for model, streamed, got in played:
        right = str(OVERLOADED) in got.get("words", "") or "come again" in got.get("words", "") if model == "fails" else got == expected(sdk.ends, model)
        if not right:
            faults.append(f"{sdk.name}, {model}, {'streamed' if streamed else 'whole'}: {got}, not {expected(sdk.ends, model)}")
    if upstream.offered != {(OWN, TOOL)} or not upstream.fetched or not all(upstream.fetched):
        faults.append(f"{sdk.name}: offered {upstream.offered}, fetched back {upstream.fetched.count(True)} of {len(upstream.fetched)}")
    columns = []
    for streamed in (False, True):
        seen = [got for _, is_streamed, got in played if is_streamed == streamed]
        columns.append("**no**" if faults or len(seen) != len(MODELS) else f"{len(seen)} of {len(MODELS)}")
    return f"| {sdk.name} | {columns[0]} | {columns[1]} | {upstream.fetched.count(True)}, byte for byte |", faults


def signatures(binary: Path, sdk: Sdk) -> tuple[str, list[str]]:
    """The same for one that signs."""
    upstream, played, faults = run(binary, sdk, ["signed"])
    for _, streamed, got in played:
        if got != expected(sdk.ends, "signed"):
            faults.append(f"{sdk.name}, signed, {'streamed' if streamed else 'whole'}: {got}")
    if upstream.offered != {(OWN,)} or not upstream.signed or not all(upstream.signed):
        faults.append(f"{sdk.name}: offered {upstream.offered}, signatures {upstream.signed}")
    return f"| {sdk.name} | {'**no**' if faults else 'yes'} | {upstream.signed.count(True)} of {len(upstream.signed)} |", faults


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, default=ROOT / "target" / "release" / "tersely")
    parser.add_argument("--only", default="", help="SDKs whose names contain this")
    args = parser.parse_args()
    wanted = lambda all: [sdk for sdk in all if args.only.lower() in sdk.name.lower()]
    rows, faults = ["| SDK | turns whole | turns streamed | fetched back |", "|---|---:|---:|---:|"], []
    for sdk in wanted(SDKS):
        row, wrong = turns(args.binary.resolve(), sdk)
        rows, faults = [*rows, row], faults + wrong
    rows += ["", "| SDK, with AWS keys | body and headers as they were signed | signatures that hold upstream |", "|---|---|---:|"]
    for sdk in wanted(SIGNED):
        row, wrong = signatures(args.binary.resolve(), sdk)
        rows, faults = [*rows, row], faults + wrong
    print("\n".join(rows), *faults, sep="\n")
    raise SystemExit(bool(faults))


if __name__ == "__main__":
    main()
