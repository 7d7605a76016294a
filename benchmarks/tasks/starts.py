"""The agents: how each is started without a terminal on one task, so that it talks to an address and nothing else changes.

All find a home of their own without settings, plug-ins or MCP servers. The nonce goes into what the model reads before the task.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent


@dataclass
class Ask:
    """What every agent is told."""

    url: str
    model: str
    key: str
    nonce: str
    prompt: Path


@dataclass
class Start:
    """A command, its variables, its files, by path under its home, and what it reads from its standard input."""

    words: list[str]
    env: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    said: str = ""


def built_in(shape: str):
    """Our own small agent."""
    def start(ask: Ask) -> Start:
        words = [sys.executable, str(HERE / "agent.py"), "--shape", shape, "--model", ask.model, "--system", ask.nonce, "--prompt", str(ask.prompt)]
        if shape == "messages":
            return Start(words, {"ANTHROPIC_BASE_URL": ask.url, "ANTHROPIC_API_KEY": ask.key})
        return Start(words, {"OPENAI_BASE_URL": f"{ask.url}/v1", "OPENAI_API_KEY": ask.key})
    return start


def claude(ask: Ask) -> Start:
    """Claude Code. Its small requests go to the same model, so that one price holds."""
    quiet = ["DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY", "DISABLE_ERROR_REPORTING", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"]
    env = dict.fromkeys(quiet, "1") | {"ANTHROPIC_BASE_URL": ask.url, "ANTHROPIC_API_KEY": ask.key, "ENABLE_TOOL_SEARCH": "true"}
    words = ["claude", "-p", ask.prompt.read_text(), "--model", ask.model, "--append-system-prompt", ask.nonce]
    words += ["--permission-mode", "acceptEdits", "--allowedTools", "Bash,Read,Edit,Write,Glob,Grep", "--output-format", "json"]
    return Start(words, env)


def codex(ask: Ask) -> Start:
    """Codex. What stands in AGENTS.md of its home comes before the task."""
    config = (
        f'model = "{ask.model}"\nmodel_provider = "recorded"\napproval_policy = "never"\nsandbox_mode = "danger-full-access"\n'
        'check_for_update_on_startup = false\n[analytics]\nenabled = false\n[model_providers.recorded]\nname = "recorded"\n'
        f'base_url = "{ask.url}/v1"\nenv_key = "TASK_KEY"\nwire_api = "responses"\n'
    )
    words = ["codex", "exec", "--skip-git-repo-check", ask.prompt.read_text()]
    return Start(words, {"TASK_KEY": ask.key}, {".codex/config.toml": config, ".codex/AGENTS.md": f"{ask.nonce}\n"})


def opencode(package: str):
    """OpenCode, with one provider. What stands in AGENTS.md of its settings is part of the system prompt.

    It puts a task that it is given as an argument between quotes, so it reads it from its standard input.
    """
    def start(ask: Ask) -> Start:
        models = {ask.model: {"name": ask.model, "tool_call": True, "limit": {"context": 200000, "output": 8000}}}
        options = {"baseURL": f"{ask.url}/v1", "apiKey": ask.key}
        config = {
            "provider": {"recorded": {"npm": package, "name": "Recorded", "options": options, "models": models}},
            "model": f"recorded/{ask.model}", "small_model": f"recorded/{ask.model}",
            "permission": {"bash": "allow", "edit": "allow", "external_directory": "allow"},
        }
        env = {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_CONFIG_CONTENT": json.dumps(config)}
        return Start(["opencode", "run"], env, {".config/opencode/AGENTS.md": f"{ask.nonce}\n"}, ask.prompt.read_text())
    return start


# Each with the address of the provider it speaks to, and the variable that holds its key.
ANTHROPIC = ("https://api.anthropic.com", "ANTHROPIC_API_KEY")
OPENAI = ("https://api.openai.com", "OPENAI_API_KEY")
CLIENTS = {
    "agent": (built_in("messages"), *ANTHROPIC),
    "agent-chat": (built_in("chat"), *OPENAI),
    "claude": (claude, *ANTHROPIC),
    "codex": (codex, *OPENAI),
    "opencode": (opencode("@ai-sdk/anthropic"), *ANTHROPIC),
    "opencode-chat": (opencode("@ai-sdk/openai-compatible"), *OPENAI),
}
