"""Makes a recorded request fit to be published: an agent's own instructions and the names of a run give way to words of ours.

System prompts, reminders and descriptions of tools belong to the agents' makers. Messages, calls and results stay as they were.
"""

from __future__ import annotations

import json
import re

from place import cleaned

PROMPT = "You are a coding agent."
NOTE = "The agent says here which skills and permissions there are."
REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)


def published(api: str, body: dict) -> dict:
    """The request without what is not ours."""
    body = json.loads(cleaned(json.dumps(body, ensure_ascii=False)))
    SHAPES[api](body)
    return reminded(body)


def anthropic(body: dict) -> None:
    """Messages: system blocks, messages of the role `system`, tools, and who asks."""
    body["system"] = replaced(body["system"], PROMPT)
    for turn in body["messages"]:
        if turn["role"] == "system":
            turn["content"] = replaced(turn["content"], NOTE)
    body["tools"] = [kept(tool, "input_schema") for tool in body["tools"]]
    if "metadata" in body:
        body["metadata"] = {"user_id": "user_0"}


def openai(body: dict) -> None:
    """Chat Completions: messages of the role `system`, and tools."""
    for turn in body["messages"]:
        if turn["role"] == "system":
            turn["content"] = replaced(turn["content"], PROMPT)
    for tool in body["tools"]:
        tool["function"] = kept(tool["function"], "parameters")


def responses(body: dict) -> None:
    """Responses: instructions, messages of the role `developer`, tools, and which installation asks."""
    if "instructions" in body:
        body["instructions"] = PROMPT
    words = iter([PROMPT])
    for item in body["input"]:
        if item.get("role") == "developer":
            item["content"] = replaced(item["content"], next(words, NOTE))
    body["tools"] = [kept(tool, "parameters") for tool in body["tools"]]
    body["prompt_cache_key"] = "conversation_0"
    body["client_metadata"] = {}


def gemini(body: dict) -> None:
    """Gemini: the instruction, and functions."""
    body["systemInstruction"]["parts"] = [{"text": PROMPT}]
    for tool in body["tools"]:
        tool["functionDeclarations"] = [kept(one, "parametersJsonSchema") for one in tool["functionDeclarations"]]


def replaced(content: object, words: str) -> object:
    """Content with other words, in as many blocks as it had."""
    return [{**block, "text": words} for block in content] if isinstance(content, list) else words


def kept(tool: dict, schema: str) -> dict:
    """A tool by its name and the types of its arguments; what else the client said of it, but no words."""
    plain = {key: value for key, value in tool.items() if key not in ("description", "format", "tools")}
    if schema in tool:
        given = tool[schema]
        types = {name: {"type": one["type"]} if isinstance(one.get("type"), str) else {} for name, one in given.get("properties", {}).items()}
        plain[schema] = {"type": "object", "properties": types, "required": given.get("required", [])}
    return plain


def reminded(value: object) -> object:
    """A value in whose texts the agent's reminders say nothing of their own."""
    if isinstance(value, str):
        return REMINDER.sub("<system-reminder>\nA note of the agent.\n</system-reminder>", value)
    if isinstance(value, list):
        return [reminded(one) for one in value]
    return {key: reminded(one) for key, one in value.items()} if isinstance(value, dict) else value


SHAPES = {"anthropic": anthropic, "openai": openai, "responses": responses, "gemini": gemini}
