"""An auto router of a real LiteLLM proxy that names our guardrail as its compressor: as LiteLLM ships, and with our patch.

LiteLLM lets an auto router say which guardrail compresses what the router reads, and which one what the model gets; only
three providers count as compressors there. `deploy/examples/litellm/auto-router.patch` lets a custom guardrail count, too.
Two of our guardrails, one that runs for every request (`always`) and one that must be named (`named`), each behind a door that
counts; four models: one without a router, and three routers. Run it with `just litellm-router`.
"""

import argparse
import http.server
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.request
from pathlib import Path

import openai
from proxy import KEY, Tersely, free_port, result, results_of, wait
from scripted import Upstream

PATCH = Path(__file__).resolve().parents[2] / "deploy" / "examples" / "litellm" / "auto-router.patch"

# What `always` and `named` are asked, and whether the model gets the result as it came: with the patch, and without.
EXPECTED = {
    "scripted": ((1, 0, False), (1, 0, False)),
    "model-named": ((0, 1, False), (1, 0, False)),
    "both-none": ((0, 0, True), (1, 0, False)),
    "routing-named": ((0, 1, True), (1, 0, False)),
}
ROUTERS = {"model-named": ("none", "named"), "both-none": ("none", "none"), "routing-named": ("named", "none")}


class Door:
    """Hands requests on to Tersely, and counts them."""

    def __init__(self, target: str) -> None:
        self.count = 0
        door = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_: object) -> None:
                pass

            def do_POST(self) -> None:
                door.count += 1
                body = self.rfile.read(int(self.headers["content-length"]))
                headers = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "content-length")}
                with urllib.request.urlopen(urllib.request.Request(target + self.path, body, headers), timeout=30) as answer:
                    said = answer.read()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(said)))
                self.end_headers()
                self.wfile.write(said)

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()

    def take(self) -> int:
        taken, self.count = self.count, 0
        return taken


def configuration(upstream: str, doors: dict[str, Door]) -> str:
    lines = ["model_list:", f"  - model_name: scripted\n    litellm_params: {{model: openai/gpt-5-scripted, api_base: {upstream}/v1, api_key: none}}"]
    tiers = ", ".join(f"{tier}: scripted" for tier in ("SIMPLE", "MEDIUM", "COMPLEX", "REASONING"))
    for name, (routing, model) in ROUTERS.items():
        lines.append(f"""  - model_name: {name}
    litellm_params:
      model: auto_router/complexity_router
      complexity_router_config: {{tiers: {{{tiers}}}}}
      complexity_router_default_model: scripted
      auto_router_routing_compression: {routing}
      auto_router_model_compression: {model}""")
    lines.append("guardrails:")
    for name, door in doors.items():
        lines.append(f"""  - guardrail_name: {name}
    litellm_params:
      guardrail: tersely.litellm.TerselyGuardrail
      mode: pre_call
      default_on: {str(name == "always").lower()}
      api_base: {door.url}
      reader: small""")
    return "\n".join(lines) + "\n"


def patched(folder: Path) -> Path:
    """A copy of the installed LiteLLM with the patch, for PYTHONPATH."""
    import litellm  # noqa: PLC0415

    home = Path(litellm.__file__).parent
    shutil.copytree(home, folder / "litellm", ignore=shutil.ignore_patterns("__pycache__"))
    with PATCH.open() as text:
        subprocess.run(["patch", "--strip=1", "--quiet"], stdin=text, cwd=folder, check=True)
    env = {**os.environ, "PYTHONPATH": str(folder), "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    subprocess.run([sys.executable, "-m", "pytest", "--quiet", "--disable-warnings", "-p", "no:cacheprovider", "tests"], cwd=folder, check=True, env=env)
    return folder


def ask(url: str, model: str) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "step 0"}'}}
    messages = [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": result(0)},
    ]
    openai.OpenAI(base_url=url + "/v1", api_key=KEY, max_retries=0, timeout=120).chat.completions.create(model=model, messages=messages)


def trial(is_patched: bool, tersely: str, folder: Path) -> int:
    """One proxy, four models; how many were not as they should be."""
    upstream, doors = Upstream(), {name: Door(tersely) for name in ("always", "named")}
    path, port, bad = folder / "config.yaml", free_port(), 0
    path.write_text(configuration(upstream.url, doors))
    env = {**os.environ, "LITELLM_MASTER_KEY": KEY, "LITELLM_TELEMETRY": "False", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    if is_patched:
        env["PYTHONPATH"] = str(patched(folder))
    command = [sys.executable, Path(sys.executable).parent / "litellm", "--config", path, "--host", "127.0.0.1", "--port", str(port), "--telemetry", "False"]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(command, env=env, stdout=log, stderr=subprocess.STDOUT, cwd=folder)
        try:
            wait(f"http://127.0.0.1:{port}/health/liveliness", process, 300)
            for model, expected in EXPECTED.items():
                ask(f"http://127.0.0.1:{port}", model)
                [(_, body)] = upstream.take()
                got = (doors["always"].take(), doors["named"].take(), results_of(body) == [result(0)])
                is_good = got == expected[0 if is_patched else 1]
                bad += not is_good
                print(f"| {'patched' if is_patched else 'as shipped'} | {model} | {got[0]} | {got[1]} | {'as it came' if got[2] else 'smaller'} | {'yes' if is_good else 'NO'} |", flush=True)
        finally:
            process.kill()
            process.wait()
    return bad


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tersely", required=True)
    asked = parser.parse_args()
    tersely, bad = Tersely(asked.tersely), 0
    print("| LiteLLM | model | `always` asked | `named` asked | result at the model | as expected |\n|---|---|--:|--:|---|---|", flush=True)
    try:
        for is_patched in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                bad += trial(is_patched, tersely.url, Path(folder))
    finally:
        tersely.stop()
    raise SystemExit(f"{bad} are not as they should be" if bad else 0)


if __name__ == "__main__":
    main()
