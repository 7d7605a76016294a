"""A real LiteLLM proxy with our guardrail before a real llama.cpp: do all routes finish, whole and streamed, with the hidden
tool and without, and does the model find what it read before in its cache? Run it with `just litellm`.
"""

import argparse
import json
import subprocess
import time

import anthropic
import openai
import proxy
import setup


def records() -> str:
    rows = [{"id": n, "name": f"item-{n}", "state": "open", "owner": "team-a", "url": f"https://x.example/i/{n}"} for n in range(16)]
    return json.dumps(rows)


class Llama:
    def __init__(self) -> None:
        port = proxy.free_port()
        self.url = f"http://127.0.0.1:{port}"
        server = setup.ROOT / "benchmarks" / "conversations" / "server.py"
        command = [setup.python("llama"), server, setup.TOOLS / "model" / setup.WEIGHTS, str(port), "8192"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        proxy.wait(self.url + "/health", self.process)

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


def ask(route: str, streamed: bool, url: str, key: str, follows: bool, name: str) -> tuple[int, int]:
    """Tokens that the model read, and of those that it had in its cache, of a turn or the one after it."""
    # Each set-up begins otherwise, so that none finds what another left.
    system, more = f"You answer briefly. This is {name}.", "And what else?"
    chat = openai.OpenAI(base_url=url + "/v1", api_key=key, max_retries=0, timeout=300)
    parameters = {"type": "object", "properties": {}}
    if route == "chat":
        call = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
        messages = [{"role": "system", "content": system}, {"role": "user", "content": "List."},
                    {"role": "assistant", "content": "", "tool_calls": [call]}, {"role": "tool", "tool_call_id": "c1", "content": records()}]
        messages += [{"role": "assistant", "content": "Items."}, {"role": "user", "content": more}] if follows else []
        tools = [{"type": "function", "function": {"name": "bash", "description": "Runs.", "parameters": parameters}}]
        given = {"model": "scripted-chat", "messages": messages, "tools": tools, "max_tokens": 4}
        if streamed:
            chunks = list(chat.chat.completions.create(**given, stream=True, stream_options={"include_usage": True}))
            usage = next(chunk.usage for chunk in reversed(chunks) if chunk.usage)
        else:
            usage = chat.chat.completions.create(**given).usage
        details = usage.prompt_tokens_details
        return usage.prompt_tokens, (details.cached_tokens if details else 0) or 0
    if route == "messages":
        result = {"type": "tool_result", "tool_use_id": "c1", "content": records()}
        messages = [{"role": "user", "content": "List."},
                    {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "bash", "input": {}}]},
                    {"role": "user", "content": [result]}]
        messages += [{"role": "assistant", "content": "Items."}, {"role": "user", "content": more}] if follows else []
        tools = [{"name": "bash", "description": "Runs.", "input_schema": parameters}]
        client = anthropic.Anthropic(base_url=url, api_key=key, max_retries=0, timeout=300)
        given = {"model": "scripted-messages", "system": system, "messages": messages, "tools": tools, "max_tokens": 4}
        if streamed:
            with client.messages.stream(**given) as stream:
                usage = stream.get_final_message().usage
        else:
            usage = client.messages.create(**given).usage
        cached = usage.cache_read_input_tokens or 0
        return usage.input_tokens + cached, cached
    items = [{"role": "user", "content": "List."}, {"type": "function_call", "call_id": "c1", "name": "bash", "arguments": "{}"},
             {"type": "function_call_output", "call_id": "c1", "output": records()}]
    said = {"type": "message", "role": "assistant", "status": "completed", "id": "m1", "content": [{"type": "output_text", "text": "Items.", "annotations": []}]}
    items += [said, {"role": "user", "content": more}] if follows else []
    tools = [{"type": "function", "name": "bash", "description": "Runs.", "parameters": parameters, "strict": False}]
    given = {"model": "scripted-responses", "instructions": system, "input": items, "tools": tools, "max_output_tokens": 4, "store": False}
    if streamed:
        events = list(chat.responses.create(**given, stream=True))
        usage = events[-1].response.usage
    else:
        usage = chat.responses.create(**given).usage
    details = usage.input_tokens_details
    return usage.input_tokens, (details.cached_tokens if details else 0) or 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tersely", required=True)
    asked = parser.parse_args()
    tersely, llama, bad = proxy.Tersely(asked.tersely), Llama(), 0
    print("| route | how | guardrail | direct: tokens | tokens | next: tokens | next: cached | seconds |\n|---|---|---|---|---|---|---|---|", flush=True)
    try:
        direct = {route: ask(route, False, llama.url, "none", False, "direct")[0] for route in proxy.ROUTES}
        for guardrail in ("tersely", "expand"):
            gate = proxy.Proxy(guardrail, tersely.url, llama.url)
            try:
                for route in proxy.ROUTES:
                    for streamed in (False, True):
                        begun, name = time.monotonic(), f"{guardrail}-{route}-{streamed}"
                        try:
                            first, _ = ask(route, streamed, gate.url, proxy.KEY, False, name)
                            second, cached = ask(route, streamed, gate.url, proxy.KEY, True, name)
                        except Exception as error:
                            print(f"| {route} | {streamed} | {guardrail} | {type(error).__name__}: {str(error)[:200]} |", flush=True)
                            bad += 1
                            continue
                        how = "streamed" if streamed else "whole"
                        seconds = round(time.monotonic() - begun, 1)
                        print(f"| {route} | {how} | {guardrail} | {direct[route]} | {first} | {second} | {cached} | {seconds} |", flush=True)
            finally:
                gate.stop()
    finally:
        llama.stop()
        tersely.stop()
    raise SystemExit(f"{bad} set-ups failed" if bad else 0)


if __name__ == "__main__":
    main()
