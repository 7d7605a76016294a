"""A real LiteLLM proxy with `tersely.litellm.TerselyGuardrail` before a scripted model: does every set-up finish, and
does what the model was sent stay as it was sent?

Three routes, whole and streamed, with the hidden tool and without: twelve set-ups. Then the proxy's own
`guardrail: headroom` against the same door, and a Tersely that is gone, or never answers. `llama.py` has a real model in
the place of the script. Run both with `just litellm`.
"""

import argparse
import json
import os
import re
import secrets
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import anthropic
import openai
from scripted import TOOL, Upstream, text_of

HERE = Path(__file__).resolve().parent
KEY = "sk-" + secrets.token_hex(16)
ROUTES = ("chat", "messages", "responses")


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def wait(url: str, process: subprocess.Popen, seconds: float = 180) -> None:
    """Waits until something answers."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=2).close()
            return
        except OSError:
            time.sleep(0.5)
    raise SystemExit(f"{url} does not answer")


class Tersely:
    def __init__(self, program: str) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        env = {"PATH": os.environ["PATH"], "TERSELY_HISTORY_RECORD": "off", "TERSELY_MAX_BYTES": "4KiB"}
        command = [program, "serve", "--listen", f"127.0.0.1:{self.port}"]
        self.process = subprocess.Popen(command, env=env, stderr=subprocess.DEVNULL)
        wait(self.url + "/readyz", self.process)

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


# Which configuration of docs/litellm.md is meant, and what the test adds to it. A strong reader is sent all of a result in a
# denser form: to see something left out, the reader is small.
GUARDRAILS = {
    "tersely": (0, ["reader: small"]),
    "expand": (0, ["reader: small", "expand: true"]),
    "headroom": (1, []),
    "dead": (0, ["expand: true"]),
    "silent": (0, ["expand: true", "timeout: 0.5"]),
}


def configuration(guardrail: str, tersely: str, upstream: str) -> str:
    """The guardrails as docs/litellm.md has them; the models are those of the test."""
    place, added = GUARDRAILS[guardrail]
    page = (HERE.parents[1] / "docs" / "litellm.md").read_text()
    block = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)[place].replace("http://127.0.0.1:8787", tersely)
    return f"""
model_list:
  - model_name: scripted-chat
    litellm_params: {{model: openai/gpt-5-scripted, api_base: {upstream}/v1, api_key: none}}
  - model_name: scripted-messages
    litellm_params: {{model: anthropic/claude-scripted, api_base: {upstream}, api_key: none}}
  - model_name: scripted-responses
    litellm_params: {{model: openai/gpt-5-scripted, api_base: {upstream}/v1, api_key: none}}
{block}""" + "".join(f"      {line}\n" for line in added)


class Proxy:
    def __init__(self, guardrail: str, tersely: str, upstream: str) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.folder = tempfile.TemporaryDirectory()
        config = Path(self.folder.name) / "config.yaml"
        config.write_text(configuration(guardrail, tersely, upstream))
        env = {**os.environ, "LITELLM_MASTER_KEY": KEY, "LITELLM_TELEMETRY": "False", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
        program = Path(sys.executable).parent / "litellm"
        command = [program, "--config", config, "--host", "127.0.0.1", "--port", str(self.port), "--telemetry", "False"]
        self.log = open(Path(os.environ.get("LITELLM_LOG_FILE", Path(self.folder.name) / "log")), "w")
        self.process = subprocess.Popen(command, env=env, stdout=self.log, stderr=subprocess.STDOUT, cwd=self.folder.name)
        wait(self.url + "/health/liveliness", self.process)

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()


def result(turn: int) -> str:
    """What the client's tool prints: long, and different each time."""
    lines = (f"2026-01-0{turn + 1} 12:00:{n % 60:02} INFO worker {n % 7} finished batch {turn}{n:04}" for n in range(600))
    return "\n".join(lines)


SYSTEM = "You run commands."
PARAMETERS = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}


class Client:
    """An agent that runs one tool until the model is done, with the official SDK of its route."""

    def __init__(self, route: str, streamed: bool, proxy: str) -> None:
        self.route, self.streamed = route, streamed
        self.openai = openai.OpenAI(base_url=proxy + "/v1", api_key=KEY, max_retries=0, timeout=120)
        self.anthropic = anthropic.Anthropic(base_url=proxy, api_key=KEY, max_retries=0, timeout=120)
        self.seen: list[str] = []

    def run(self) -> str:
        """The model's last words."""
        return getattr(self, "_" + self.route)()

    def _chat(self) -> str:
        messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": "Go."}]
        function = {"name": "bash", "description": "Runs a command.", "parameters": PARAMETERS}
        for turn in range(9):
            ask = {"model": "scripted-chat", "messages": messages, "tools": [{"type": "function", "function": function}]}
            if self.streamed:
                said = {"role": "assistant", "content": "", "tool_calls": []}
                for chunk in self.openai.chat.completions.create(**ask, stream=True):
                    self.seen.append(chunk.to_json())
                    for choice in chunk.choices:
                        said["content"] += choice.delta.content or ""
                        for call in choice.delta.tool_calls or []:
                            if call.id:
                                said["tool_calls"].append({"id": call.id, "type": "function", "function": {"name": call.function.name, "arguments": ""}})
                            said["tool_calls"][-1]["function"]["arguments"] += call.function.arguments or ""
            else:
                answer = self.openai.chat.completions.create(**ask)
                self.seen.append(answer.to_json())
                said = answer.choices[0].message.to_dict()
            calls = said.get("tool_calls") or []
            if not calls:
                return said["content"]
            messages.append({"role": "assistant", "content": said.get("content") or None, "tool_calls": calls})
            messages += [{"role": "tool", "tool_call_id": call["id"], "content": result(turn)} for call in calls]
        return "never finished"

    def _messages(self) -> str:
        messages = [{"role": "user", "content": "Go."}]
        tool = {"name": "bash", "description": "Runs a command.", "input_schema": PARAMETERS}
        for turn in range(9):
            ask = {"model": "scripted-messages", "system": SYSTEM, "max_tokens": 100, "messages": messages, "tools": [tool]}
            if self.streamed:
                with self.anthropic.messages.stream(**ask) as stream:
                    for event in stream:
                        self.seen.append(str(event))
                    answer = stream.get_final_message()
            else:
                answer = self.anthropic.messages.create(**ask)
            self.seen.append(answer.to_json())
            calls = [block for block in answer.content if block.type == "tool_use"]
            if not calls:
                return "".join(block.text for block in answer.content)
            messages.append({"role": "assistant", "content": [block.to_dict() for block in answer.content]})
            results = [{"type": "tool_result", "tool_use_id": call.id, "content": result(turn)} for call in calls]
            messages.append({"role": "user", "content": results})
        return "never finished"

    def _responses(self) -> str:
        items = [{"role": "user", "content": "Go."}]
        tool = {"type": "function", "name": "bash", "description": "Runs a command.", "parameters": PARAMETERS, "strict": False}
        for turn in range(9):
            ask = {"model": "scripted-responses", "instructions": SYSTEM, "input": items, "tools": [tool], "store": False}
            if self.streamed:
                answer = None
                for event in self.openai.responses.create(**ask, stream=True):
                    self.seen.append(event.to_json())
                    if event.type == "response.completed":
                        answer = event.response
            else:
                answer = self.openai.responses.create(**ask)
                self.seen.append(answer.to_json())
            calls = [item for item in answer.output if item.type == "function_call"]
            if not calls:
                return answer.output_text
            for call in calls:
                items.append({"type": "function_call", "call_id": call.call_id, "name": call.name, "arguments": call.arguments})
                items.append({"type": "function_call_output", "call_id": call.call_id, "output": result(turn)})
        return "never finished"


def place(body: dict) -> list:
    return body["messages"] if "messages" in body else body["input"]


def stays(requests: list[dict]) -> bool:
    """The prefix law: what a request sent, the next one sends again, and all send the same tools."""
    pairs = list(zip(requests, requests[1:]))
    same = all(before.get("tools") == after.get("tools") for before, after in pairs)
    return same and all(place(before) == place(after)[: len(place(before))] for before, after in pairs)


def results_of(body: dict) -> list[str]:
    """The texts of all results in a request, in order."""
    texts = []
    for item in place(body):
        if item.get("role") == "tool":
            texts.append(text_of(item["content"]))
        elif item.get("type") == "function_call_output":
            texts.append(text_of(item["output"]))
        elif isinstance(item.get("content"), list):
            texts += [text_of(block["content"]) for block in item["content"] if block.get("type") == "tool_result"]
    return texts


def judge(route: str, streamed: bool, guardrail: str, proxy: Proxy, upstream: Upstream) -> dict:
    upstream.take()
    client = Client(route, streamed, proxy.url)
    begun = time.monotonic()
    try:
        ending = client.run()
    except Exception as error:
        ending = f"{type(error).__name__}: {error}"[:200]
    requests = [body for _, body in upstream.take()]
    follows = [body for body in requests if f'"{TOOL}"' in json.dumps(place(body))]
    mains = [body for body in requests if body not in follows]
    came = sum(len(result(turn)) for turn in range(3))
    sent = sum(map(len, results_of(mains[-1]))) if mains else 0
    fetched = [text for body in follows for text in results_of(body)[-1:]]
    return {
        "route": route,
        "how": "streamed" if streamed else "whole",
        "guardrail": guardrail,
        "ending": ending,
        "requests": len(requests),
        "prefix": stays(mains),
        "bytes": f"{sent}/{came}",
        "smaller": sent * 2 < came,
        "fetched": len(fetched),
        "exact": all(text in [result(turn) for turn in range(3)] for text in fetched),
        "hidden": not any(TOOL in text for text in client.seen),
        "seconds": round(time.monotonic() - begun, 1),
    }


COLUMNS = ("route", "how", "guardrail", "ending", "requests", "prefix", "bytes", "fetched", "exact", "hidden", "seconds")


def is_good(row: dict) -> bool:
    if row["ending"] != "finished" or not row["hidden"]:
        return False
    if row["guardrail"] == "headroom":
        return True
    if row["guardrail"] in ("dead", "silent"):
        return bool(row["prefix"] and len(set(row["bytes"].split("/"))) == 1)
    asked = row["fetched"] == 3 and row["exact"] if row["guardrail"] == "expand" else row["fetched"] == 0
    return bool(row["prefix"] and asked and (row["smaller"] or row["guardrail"] == "tersely"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tersely", required=True)
    parser.add_argument("--guardrails", default="tersely,expand,headroom,dead,silent")
    parser.add_argument("--routes", default=",".join(ROUTES))
    asked = parser.parse_args()
    upstream, tersely = Upstream(), Tersely(asked.tersely)
    mute = socket.create_server(("127.0.0.1", 0))
    silent = f"http://127.0.0.1:{mute.getsockname()[1]}"
    print("| " + " | ".join(COLUMNS) + " |\n|" + "---|" * len(COLUMNS), flush=True)
    bad = 0
    try:
        for guardrail in asked.guardrails.split(","):
            proxy = Proxy(guardrail, {"dead": "http://127.0.0.1:9", "silent": silent}.get(guardrail, tersely.url), upstream.url)
            try:
                for route in asked.routes.split(","):
                    for streamed in (False, True):
                        row = judge(route, streamed, guardrail, proxy, upstream)
                        bad += not is_good(row)
                        print("| " + " | ".join(str(row[name]) for name in COLUMNS) + " |", flush=True)
            finally:
                proxy.stop()
    finally:
        tersely.stop()
    raise SystemExit(f"{bad} set-ups are not as they should be" if bad else 0)


if __name__ == "__main__":
    main()
