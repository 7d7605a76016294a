"""Stands in for a coding agent where none is installed: one tool turn, as that agent would send it to the address that it was given.

Started under the name of the agent (claude, codex, opencode, gemini). `run.py --real` starts the real ones instead.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

NAME = Path(sys.argv[0]).name
ROWS = [{"number": n, "state": "open" if n % 3 == 0 else "closed", "title": f"Issue number {n}", "url": f"https://example.com/issues/{n}"} for n in range(60)]
# By these words the history knows who sent a request.
SELF = {"claude": "claude-cli/2.1.197", "codex": "codex_exec/0.166.0", "opencode": "opencode/1.18.33", "gemini": "GeminiCLI/0.61.0"}
SHELL = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}


def address() -> str:
    """Where this agent was told to send requests: by an argument, its variable or its own file."""
    if NAME == "claude":
        return os.environ.get("ANTHROPIC_BASE_URL") or json.loads(own(".claude/settings.json"))["env"]["ANTHROPIC_BASE_URL"]
    if NAME == "gemini":
        return os.environ["GOOGLE_GEMINI_BASE_URL"]
    told = {"codex": " ".join(sys.argv), "opencode": os.environ.get("OPENCODE_CONFIG_CONTENT", "")}.get(NAME, "")
    found = re.search(r'(?:openai_base_url=|"baseURL":\s*)"([^"]+)', told)
    return found[1] if found else os.environ["OPENAI_BASE_URL"]


def own(name: str) -> str:
    """A file of the agent's in the home folder."""
    return (Path.home() / name).read_text()


def post(path: str, body: dict) -> dict:
    """Sends one request with the key of nobody."""
    heads = {"content-type": "application/json", "authorization": "Bearer none", "user-agent": SELF.get(NAME, "agent/1.0")}
    asked = urllib.request.Request(address() + path, json.dumps(body).encode(), heads)
    with urllib.request.urlopen(asked, timeout=30) as answer:
        return json.load(answer)


def tool(command: str) -> str:
    """Runs what the model asks for; `ls`, which it asks for unasked, gives sixty rows."""
    if command == "ls":
        return json.dumps(ROWS, indent=2)
    return subprocess.run(command, shell=True, capture_output=True, text=True, check=True).stdout


def messages(prompt: str) -> str:
    """With Anthropic's Messages."""
    said = [{"role": "user", "content": prompt}]
    tools = [{"name": "Bash", "description": "Runs a command", "input_schema": SHELL}]
    while True:
        answer = post("/v1/messages", {"model": "claude-sonnet-4-5", "max_tokens": 100, "tools": tools, "messages": said})
        block = answer["content"][0]
        if block["type"] == "text":
            return block["text"]
        result = {"type": "tool_result", "tool_use_id": block["id"], "content": tool(block["input"]["command"])}
        said += [{"role": "assistant", "content": [block]}, {"role": "user", "content": [result]}]


def responses(prompt: str) -> str:
    """With OpenAI's Responses."""
    items: list[dict] = [{"role": "user", "content": prompt}]
    tools = [{"type": "function", "name": "shell_command", "parameters": SHELL}]
    while True:
        item = post("/responses", {"model": "gpt-5", "tools": tools, "input": items})["output"][0]
        if item["type"] == "message":
            return item["content"][0]["text"]
        output = tool(json.loads(item["arguments"])["command"])
        items += [item, {"type": "function_call_output", "call_id": item["call_id"], "output": output}]


def gemini(prompt: str) -> str:
    """With Gemini."""
    turns: list[dict] = [{"role": "user", "parts": [{"text": prompt}]}]
    tools = [{"functionDeclarations": [{"name": "run_shell_command", "parameters": SHELL}]}]
    while True:
        answer = post("/v1beta/models/gemini-2.5-flash:generateContent", {"tools": tools, "contents": turns})
        content = answer["candidates"][0]["content"]
        part = content["parts"][0]
        if "text" in part:
            return part["text"]
        call = part["functionCall"]
        result = {"functionResponse": {"name": call["name"], "response": {"output": tool(call["args"]["command"])}}}
        turns += [content, {"role": "user", "parts": [result]}]


if __name__ == "__main__":
    if sys.argv[1:] == ["--version"]:
        print(SELF.get(NAME, "agent/1.0"))
        sys.exit()
    play = {"claude": messages, "gemini": gemini}.get(NAME, responses)
    print(play(" ".join(sys.argv[1:]) or "Hello"))
