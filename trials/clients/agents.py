"""The clients: how each is started so that it talks to a URL, and what it finds around it."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

from setup import CACHE

HERE = Path(__file__).resolve().parent
BIN = CACHE / "npm" / "node_modules" / ".bin"
ASK = "Run python3 rows.py and tell me how many items there are."

# What the tool prints: a heading, and thirty rows as an API would give them.
ROWS = """\
import json
owners = ["team-search", "team-billing", "team-mobile"]
rows = [{"id": 4000 + n, "title": f"Item number {n} of the list", "state": "open", "owner": owners[n % 3],
         "url": f"https://example.org/items/{4000 + n}", "labels": ["bug"], "comments": n % 7} for n in range(30)]
print("Items:", json.dumps(rows, indent=1), sep="\\n")
"""

CODEX = """\
model = "test-model"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
{extra}
[analytics]
enabled = false
"""


@dataclass
class Start:
    """A command, its variables and its files, by path under its home."""

    words: list[str]
    env: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)


def claude(url: str) -> Start:
    """Claude Code."""
    quiet = ["DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY", "DISABLE_ERROR_REPORTING"]
    env = {name: "1" for name in [*quiet, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"]}
    env |= {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none", "ENABLE_TOOL_SEARCH": "true"}
    return Start([str(BIN / "claude"), "-p", ASK, "--allowedTools", "Bash", "--output-format", "json"], env)


def codex(url: str) -> Start:
    """Codex with its own provider, which tries a websocket first."""
    words = [str(BIN / "codex"), "-c", f'openai_base_url="{url}/v1"', "exec", "--skip-git-repo-check", ASK]
    return Start(words, {"CODEX_API_KEY": "none"}, {".codex/config.toml": CODEX.format(extra="")})


def codex_provider(url: str) -> Start:
    """Codex with a provider of the user's."""
    table = f'[model_providers.local]\nname = "local"\nbase_url = "{url}/v1"\nenv_key = "LOCAL_KEY"\nwire_api = "responses"'
    config = CODEX.format(extra=f'model_provider = "local"\n{table}')
    return Start([str(BIN / "codex"), "exec", "--skip-git-repo-check", ASK], {"LOCAL_KEY": "none"}, {".codex/config.toml": config})


def opencode(package: str, url: str) -> Start:
    """OpenCode with one provider."""
    models = {"test-model": {"name": "test", "tool_call": True, "limit": {"context": 200000, "output": 8000}}}
    provider = {"npm": package, "name": "Test", "options": {"baseURL": f"{url}/v1", "apiKey": "none"}, "models": models}
    config = {"provider": {"test": provider}, "model": "test/test-model", "permission": {"bash": "allow"}}
    env = {name: "1" for name in ["OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_DISABLE_MODELS_FETCH"]}
    env["OPENCODE_CONFIG_CONTENT"] = json.dumps(config)
    return Start([str(BIN / "opencode"), "run", ASK], env)


def gemini(url: str) -> Start:
    """Gemini CLI."""
    env = {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": url, "GEMINI_CLI_TRUST_WORKSPACE": "true"}
    # With an address in the variable, a key alone does not tell it how to log in.
    settings = json.dumps({"security": {"auth": {"selectedType": "gemini-api-key"}}})
    words = [str(BIN / "gemini"), "-y", "-m", "gemini-2.5-flash", "-p", ASK]
    return Start(words, env, {".gemini/settings.json": settings})


def python(script: str, *more: str):
    """An SDK for Python."""
    interpreter = CACHE / "python" / "bin" / "python"
    return lambda url: Start([str(interpreter), str(HERE / "sdk" / script), url, *more])


def node(shape: str):
    """An SDK for JavaScript."""
    env = {"NODE_MODULES": str(CACHE / "npm" / "node_modules")}
    return lambda url: Start(["node", str(HERE / "sdk" / "turn.mjs"), url, shape], env)


CLIENTS = {
    "Claude Code": claude,
    "Codex": codex,
    "Codex, own provider": codex_provider,
    "OpenCode, chat": lambda url: opencode("@ai-sdk/openai-compatible", url),
    "OpenCode, messages": lambda url: opencode("@ai-sdk/anthropic", url),
    "Gemini CLI": gemini,
    "Python anthropic": python("anthropic_turn.py"),
    "Python openai, chat": python("openai_turn.py", "chat"),
    "Python openai, responses": python("openai_turn.py", "responses"),
    "JS @anthropic-ai/sdk": node("anthropic"),
    "JS openai, chat": node("chat"),
    "JS openai, responses": node("responses"),
}


def prepare(folder: Path, start: Start, scripts: dict[str, str] | None = None) -> dict[str, str]:
    """Writes what a client finds around it; gives its variables: nothing of whoever runs this but the path."""
    for name in ["home", "here"]:
        (folder / name).mkdir(parents=True)
    found = {f"here/{name}": text for name, text in (scripts or {"rows.py": ROWS}).items()}
    found |= {f"home/{name}": text for name, text in start.files.items()}
    for name, text in found.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    kept = {name: os.environ[name] for name in ["npm_config_registry"] if name in os.environ}
    return {"HOME": str(folder / "home"), "PATH": path, "TERM": "dumb", "NO_COLOR": "1", **kept, **start.env}
