"""Asks a model the same questions without compression and with it, and compares answers and tokens.

    compare.py results --upstream http://127.0.0.1:8080 --model qwen --min-saving 100
    compare.py prompts --min-saving 1          # JSON in users' texts, as TOON; the model is at $TERSELY_MODEL

Exits 1 if a question that was answered without compression is not answered with it, if a request fails that did not fail
before, or if fewer prompt tokens are saved than asked for. Tokens are what the provider says that it read; where it does not
say, they are Tersely's own count, and called estimated.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import urllib.error
import urllib.request

BINARY = pathlib.Path(__file__).resolve().parents[2] / "target/release/tersely"
OFF = {"TERSELY_MODE": "disabled"}
ON = {"results": {"TERSELY_MODE": "standard"}, "prompts": {"TERSELY_MODE": "disabled", "TOON_ENABLED": "true", "TOON_MIN_BYTES": "256"}}


def rows(count):
    states = ["open", "closed", "waiting"]
    return [{"id": n, "title": f"Item number {n}", "state": states[n * 7 % 3], "owner": f"team-{n % 4}", "kind": "issue"} for n in range(count)]


def log():
    lines = [f"2026-03-02T10:{n // 60:02}:{n % 60:02}Z shop-7d9f INFO order {8000 + n} was packed in {n * 31 % 97} ms" for n in range(90)]
    lines.insert(61, "2026-03-02T10:01:01Z shop-7d9f ERROR order 9417 failed: shelf B7 is empty")
    return "\n".join(lines) + "\n"


def listing():
    return "total 160\n" + "".join(f"-rw-r--r-- 1 dev dev {n * 37 + 11:>4} Mar  2 10:04 chapter-{n}.md\n" for n in range(1, 41))


def result(command, text, question):
    call = {"id": "call_1", "type": "function", "function": {"name": "bash", "arguments": json.dumps({"command": command})}}
    return [
        {"role": "user", "content": question},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": text},
    ]


def prompt(document, question):
    return [{"role": "user", "content": json.dumps(document)}, {"role": "user", "content": question}]


SUITES = {
    "results": [
        ("issue", result("gh issue list --json", json.dumps(rows(40), indent=2), "What is the state of the item with id 17? One word."), r"(?i)waiting"),
        ("error", result("kubectl logs shop", log(), "Which shelf is empty? Answer with its name."), r"B7"),
        ("size", result("ls -l", listing(), "How many bytes does chapter-23.md have? Answer with the number."), r"862"),
    ],
    "prompts": [
        ("state", prompt(rows(40), "In the data above, what is the state of the item with id 17? One word."), r"(?i)waiting"),
        ("owner", prompt(rows(40), "In the data above, who owns the item with id 22? Answer with the name."), r"team-2"),
    ],
}


def serve(binary, upstream, settings):
    """A gateway with these settings, and its address."""
    environment = {"PATH": os.environ.get("PATH", ""), "HOME": "/nowhere", **settings}
    command = [binary, "serve", "--listen", "127.0.0.1:0", "--upstream", upstream]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    for line in process.stderr:
        if found := re.search(r"ready on (http://[^,\s]+)", line):
            return process, found[1]
    sys.exit("tersely did not start")


def ask(address, model, messages):
    """The status, the answer and its prompt tokens, and what Tersely says of the request."""
    body = {"model": model, "messages": messages, "temperature": 0, "max_tokens": 64}
    request = urllib.request.Request(address + "/v1/chat/completions", json.dumps(body).encode(), {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=600) as response:
            status, said, headers = response.status, json.load(response), response.headers
    except urllib.error.HTTPError as error:
        return error.code, "", None, {}
    text = said["choices"][0]["message"].get("content") or ""
    counts = {end: headers.get(f"x-tersely-request-tokens-{end}") for end in ("before", "after")}
    return status, text, said.get("usage", {}).get("prompt_tokens"), counts


def measure(args, settings):
    process, address = serve(args.tersely, args.upstream, settings)
    try:
        return [ask(address, args.model, messages) for _, messages, _ in SUITES[args.suite]]
    finally:
        process.kill()
        process.wait()


def tokens(off, on):
    """Prompt tokens of a question without compression and with it, and whose count that is."""
    if off[2] is not None and on[2] is not None:
        return off[2], on[2], "provider"
    before, after = on[3].get("before"), on[3].get("after")
    return (int(before), int(after), "estimated") if before and after else (0, 0, "unknown")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", choices=SUITES)
    parser.add_argument("--upstream", default=os.environ.get("TERSELY_MODEL"), help="the model's server; default: $TERSELY_MODEL")
    parser.add_argument("--model", default="model")
    parser.add_argument("--min-saving", type=int, default=1, help="prompt tokens to save over all questions")
    parser.add_argument("--tersely", default=str(BINARY))
    args = parser.parse_args()
    if not args.upstream:
        parser.error("name the model's server with --upstream or TERSELY_MODEL")
    off, on = measure(args, OFF), measure(args, ON[args.suite])
    saved, broken = 0, []
    print("question  off  on  tokens off  tokens on  counted by")
    for (name, _, expected), before, after in zip(SUITES[args.suite], off, on):
        passes = [status == 200 and bool(re.search(expected, text)) for status, text, *_ in (before, after)]
        old, new, whose = tokens(before, after)
        saved += old - new
        print(f"{name:8}  {'ok' if passes[0] else 'no':3}  {'ok' if passes[1] else 'no':2}  {old:10}  {new:9}  {whose}")
        if passes[0] and not passes[1] or before[0] == 200 and after[0] != 200:
            broken.append(name)
    print(f"saved {saved} prompt tokens; at least {args.min_saving} were asked for")
    if broken:
        print(f"answered without compression only: {', '.join(broken)}")
    sys.exit(1 if broken or saved < args.min_saving else 0)


if __name__ == "__main__":
    main()
