"""More agents, started by name: with an address in their own settings, or with nothing but a key.

What keeps them from asking services of their makers is set here; none needs a network.
"""

from __future__ import annotations

import json

from agents import ASK, Start

CLAUDE, GPT, FLASH = "claude-sonnet-4-5", "gpt-4.1", "gemini-2.5-flash"
LIMITS = {"contextWindow": 200000, "maxTokens": 8000}


def goose(provider: str, url: str) -> Start:
    """Goose, whose address stands in its file of settings."""
    config = f"GOOSE_PROVIDER: {provider}\nGOOSE_MODEL: test-model\n{provider.upper()}_HOST: {url}\n"
    config += "extensions:\n  developer:\n    enabled: true\n    type: builtin\n    name: developer\n    timeout: 300\n"
    env = {f"{provider.upper()}_API_KEY": "none", "GOOSE_DISABLE_KEYRING": "1", "GOOSE_MODE": "auto"}
    return Start(["goose", "run", "--text", ASK], env, {".config/goose/config.yaml": config})


def goose_key(provider: str, model: str) -> Start:
    """Goose with a key."""
    env = {f"{provider.upper()}_API_KEY": "none", "GOOSE_PROVIDER": provider, "GOOSE_MODEL": model}
    env |= {"GOOSE_DISABLE_KEYRING": "1", "GOOSE_MODE": "auto"}
    return Start(["goose", "run", "--with-builtin", "developer", "--text", ASK], env)


def cline(provider: str, model: str, **more: str) -> Start:
    """Cline's command line, with an address or with a key alone."""
    settings = {"provider": provider, "apiKey": "none", "model": model, **more}
    table = {"settings": settings, "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual"}
    text = json.dumps({"version": 1, "lastUsedProvider": provider, "providers": {provider: table}})
    return Start(["cline", ASK], {"CLINE_NO_AUTO_UPDATE": "1"}, {".cline/data/settings/providers.json": text})


def qwen(env: dict[str, str], **more: object) -> Start:
    """Qwen Code, with a model of its settings or with an address in a variable."""
    settings = {"security": {"auth": {"selectedType": "openai"}}, "privacy": {"usageStatisticsEnabled": False}}
    settings |= {"general": {"enableAutoUpdate": False}, **more}
    return Start(["qwen", "--yolo", ASK], env, {".qwen/settings.json": json.dumps(settings)})


def qwen_settings(url: str) -> Start:
    """Qwen Code with a model of its settings."""
    models = [{"id": "test-model", "name": "test", "baseUrl": f"{url}/v1", "envKey": "TEST_KEY"}]
    return qwen({"TEST_KEY": "none"}, modelProviders={"openai": models}, model={"name": "test-model"})


def qwen_variable(url: str) -> Start:
    """Qwen Code with an address in a variable."""
    return qwen({"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": "test-model"})


def cn(provider: str, model: str, *more: str) -> Start:
    """Continue's command line, with an address or with a key alone."""
    lines = ["name: test", f"provider: {provider}", f"model: {model}", "apiKey: none", "capabilities: [tool_use]", *more]
    text = "\n    ".join(lines)
    config = f"name: mine\nversion: 1.0.0\nschema: v1\nmodels:\n  - {text}\n"
    env = {"CONTINUE_TELEMETRY_ENABLED": "0", "CONTINUE_CLI_AUTO_UPDATED": "1"}
    return Start(["cn", "-p", "--auto", ASK], env, {".continue/config.yaml": config})


def copilot(url: str, **shape: str) -> Start:
    """GitHub's Copilot CLI with a provider of the user's."""
    env = {"COPILOT_PROVIDER_BASE_URL": url, "COPILOT_PROVIDER_API_KEY": "none", "COPILOT_MODEL": "test-model", "COPILOT_OFFLINE": "true"}
    return Start(["copilot", "-p", ASK, "--allow-all-tools", "--no-auto-update"], env | shape)


def droid(provider: str, url: str) -> Start:
    """Factory's droid with a model of the user's; it asks for some key of its maker's, and does not check it."""
    model = {"model": "test-model", "displayName": "Mine", "baseUrl": url, "apiKey": "none", "provider": provider, "maxOutputTokens": 8000}
    words = ["droid", "exec", "--auto", "high", "-m", "custom:Mine-0", ASK]
    env = {"FACTORY_API_KEY": "fk-none", "DROID_DISABLE_AUTO_UPDATE": "true"}
    return Start(words, env, {".factory/settings.json": json.dumps({"customModels": [model]})})


def pi(shape: str, url: str) -> Start:
    """pi with a provider of the user's."""
    cost = dict.fromkeys(["input", "output", "cacheRead", "cacheWrite"], 1)
    model = {"id": "test-model", "name": "test", "reasoning": False, "input": ["text"], "cost": cost, **LIMITS}
    provider = {"baseUrl": url, "api": shape, "apiKey": "none", "models": [model]}
    words = ["pi", "-p", "--provider", "local", "--model", "test-model", ASK]
    return Start(words, {"PI_OFFLINE": "1"}, {".pi/agent/models.json": json.dumps({"providers": {"local": provider}})})


def pi_key(model: str, key: str) -> Start:
    """pi with a key."""
    return Start(["pi", "-p", "--model", model, ASK], {"PI_OFFLINE": "1", key: "none"})


def quiet(name: str) -> dict[str, str]:
    """What keeps OpenCode, or what is made of it, from fetching anything."""
    return {f"{name.upper()}_DISABLE_{what}": "1" for what in ["AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "SESSION_INGEST"]}


def kilo(package: str, url: str) -> Start:
    """Kilo Code's command line."""
    models = {"test-model": {"name": "test", "tool_call": True, "limit": {"context": 200000, "output": 8000}}}
    provider = {"npm": package, "name": "Test", "options": {"baseURL": f"{url}/v1", "apiKey": "none"}, "models": models}
    config = {"provider": {"test": provider}, "model": "test/test-model", "permission": {"bash": "allow"}}
    return Start(["kilo", "run", "--auto", ASK], quiet("kilo"), {".config/kilo/kilo.json": json.dumps(config)})


def code_key(name: str, model: str, key: str) -> Start:
    """OpenCode, or what is made of it, with a key."""
    more = ["--auto"] if name == "kilo" else []
    return Start([name, "run", *more, "--model", model, ASK], quiet(name) | {key: "none"})


def aider(**env: str) -> Start:
    """Aider, which offers the model no tools: it tells what a command printed in a message of the user's."""
    words = ["aider", "--no-git", "--yes-always", "--no-check-update", "--no-show-release-notes", "--analytics-disable"]
    words += ["--no-show-model-warnings", "--load", "commands", "--message", ASK, "--model"]
    words.append("openai/test-model" if "OPENAI_API_KEY" in env else f"anthropic/{CLAUDE}")
    env["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    return Start(words, env, {"../here/commands": "/run python3 rows.py\n"})


def aider_settings(url: str) -> Start:
    """Aider with an address in its file of settings."""
    start = aider(OPENAI_API_KEY="none")
    start.files[".aider.conf.yml"] = f"openai-api-base: {url}/v1\n"
    return start


OTHERS = {
    "goose, chat": lambda url: goose("openai", url),
    "goose, messages": lambda url: goose("anthropic", url),
    "cline, chat": lambda url: cline("openai-compatible", "test-model", baseUrl=f"{url}/v1"),
    "cline, messages": lambda url: cline("anthropic", "test-model", baseUrl=f"{url}/v1"),
    "qwen, settings": qwen_settings,
    "qwen, variable": qwen_variable,
    "cn, chat": lambda url: cn("openai", "test-model", f"apiBase: {url}/v1"),
    "cn, messages": lambda url: cn("anthropic", "test-model", f"apiBase: {url}/v1"),
    "copilot, chat": lambda url: copilot(f"{url}/v1"),
    "copilot, responses": lambda url: copilot(f"{url}/v1", COPILOT_PROVIDER_WIRE_API="responses"),
    "copilot, messages": lambda url: copilot(url, COPILOT_PROVIDER_TYPE="anthropic"),
    "droid, chat": lambda url: droid("generic-chat-completion-api", f"{url}/v1"),
    "droid, messages": lambda url: droid("anthropic", url),
    "pi, chat": lambda url: pi("openai-completions", f"{url}/v1"),
    "pi, messages": lambda url: pi("anthropic-messages", url),
    "kilo, chat": lambda url: kilo("@ai-sdk/openai-compatible", url),
    "kilo, messages": lambda url: kilo("@ai-sdk/anthropic", url),
    "aider, variable": lambda url: aider(OPENAI_API_KEY="none", OPENAI_API_BASE=f"{url}/v1"),
    "aider, settings": aider_settings,
}

# With a key and no address they go to where the provider is, for which `tersely run --upstream` stands here.
KEYS = {
    "goose, Anthropic's key": lambda: goose_key("anthropic", CLAUDE),
    "goose, OpenAI's key": lambda: goose_key("openai", GPT),
    "goose, Google's key": lambda: goose_key("google", FLASH),
    "goose, OpenRouter's key": lambda: goose_key("openrouter", f"anthropic/{CLAUDE}"),
    "cline, Anthropic's key": lambda: cline("anthropic", CLAUDE),
    "cn, Anthropic's key": lambda: cn("anthropic", CLAUDE),
    "cn, OpenAI's key": lambda: cn("openai", GPT),
    "cn, Google's key": lambda: cn("gemini", FLASH),
    "pi, Anthropic's key": lambda: pi_key(f"anthropic/{CLAUDE}", "ANTHROPIC_API_KEY"),
    "pi, OpenAI's key": lambda: pi_key("openai/gpt-5", "OPENAI_API_KEY"),
    "pi, Google's key": lambda: pi_key(f"google/{FLASH}", "GEMINI_API_KEY"),
    "pi, OpenRouter's key": lambda: pi_key(f"openrouter/anthropic/{CLAUDE.replace('4-5', '4.5')}", "OPENROUTER_API_KEY"),
    "opencode, Anthropic's key": lambda: code_key("opencode", f"anthropic/{CLAUDE}", "ANTHROPIC_API_KEY"),
    "opencode, OpenAI's key": lambda: code_key("opencode", "openai/gpt-5", "OPENAI_API_KEY"),
    "kilo, Anthropic's key": lambda: code_key("kilo", f"anthropic/{CLAUDE}", "ANTHROPIC_API_KEY"),
    "aider, Anthropic's key": lambda: aider(ANTHROPIC_API_KEY="none"),
}
