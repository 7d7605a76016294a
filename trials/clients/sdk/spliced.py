"""Sends requests with an SDK for Python, and prints what it made of each response: URL, SDK, and requests as JSON lines on stdin.

A line is {"shape", "streams", "request"}; a line of the answer is {"text", "calls", "usage", "end"}. Streams are read with the SDK's own helper
where it has one, which puts the events together and complains of those that do not fit.
"""

import json
import sys
from typing import Any

URL, SDK = sys.argv[1:3]


def anthropic(streams: bool, request: dict[str, Any]) -> dict[str, Any]:
    """With Messages."""
    from anthropic import Anthropic

    client = Anthropic(base_url=URL, api_key="none", max_retries=0)
    if streams:
        with client.messages.stream(**request) as stream:
            heard = "".join(stream.text_stream)
            answer = stream.get_final_message()
    else:
        answer = client.messages.create(**request)
    text = "".join(block.text for block in answer.content if block.type == "text")
    assert not streams or heard == text, (heard, text)
    calls = [block.name for block in answer.content if block.type == "tool_use"]
    return told(text, calls, [answer.usage.input_tokens, answer.usage.output_tokens], answer.stop_reason)


def chat(streams: bool, request: dict[str, Any]) -> dict[str, Any]:
    """With Chat Completions."""
    from openai import OpenAI

    client = OpenAI(base_url=f"{URL}/v1", api_key="none", max_retries=0)
    if streams:
        with client.chat.completions.stream(**request, stream_options={"include_usage": True}) as stream:
            heard = "".join(event.delta for event in stream if event.type == "content.delta")
            answer = stream.get_final_completion()
    else:
        answer = client.chat.completions.create(**request)
    choice = answer.choices[0]
    assert not streams or heard == (choice.message.content or ""), (heard, choice)
    calls = [call.function.name for call in choice.message.tool_calls or []]
    usage = [answer.usage.prompt_tokens, answer.usage.completion_tokens]
    return told(choice.message.content or "", calls, usage, choice.finish_reason)


def responses(streams: bool, request: dict[str, Any]) -> dict[str, Any]:
    """With Responses."""
    from openai import OpenAI

    client = OpenAI(base_url=f"{URL}/v1", api_key="none", max_retries=0)
    if streams:
        with client.responses.stream(**request) as stream:
            heard = ""
            for event in stream:
                if event.type == "response.output_text.delta":
                    heard += event.delta
                if event.type == "response.failed":
                    raise RuntimeError(event.response.error.message)
            answer = stream.get_final_response()
    else:
        answer = client.responses.create(**request)
    assert not streams or heard == answer.output_text, (heard, answer.output_text)
    calls = [item.name for item in answer.output if item.type == "function_call"]
    return told(answer.output_text, calls, [answer.usage.input_tokens, answer.usage.output_tokens], answer.status)


def gemini(streams: bool, request: dict[str, Any]) -> dict[str, Any]:
    """With Gemini."""
    from google import genai

    client = genai.Client(api_key="none", http_options={"base_url": URL})
    declared = [{"name": one["name"], "parameters_json_schema": one["parameters"]} for one in request["tools"][0]["functionDeclarations"]]
    given = {"model": request["model"], "contents": request["contents"], "config": {"tools": [{"function_declarations": declared}]}}
    models = client.models
    pieces = list(models.generate_content_stream(**given)) if streams else [models.generate_content(**given)]
    parts = [part for piece in pieces for part in piece.candidates[0].content.parts or []]
    text = "".join(part.text or "" for part in parts)
    calls = [part.function_call.name for part in parts if part.function_call]
    usage = pieces[-1].usage_metadata
    ends = [piece.candidates[0].finish_reason for piece in pieces if piece.candidates[0].finish_reason]
    return told(text, calls, [usage.prompt_token_count, usage.candidates_token_count], ",".join(end.value for end in ends))


def told(text: str, calls: list[str], usage: list[int], end: str | None) -> dict[str, Any]:
    """What one response came to."""
    return {"text": text, "calls": calls, "usage": usage, "end": end}


def answered(streams: bool, request: dict[str, Any]) -> dict[str, Any]:
    """What one response came to, or which error the SDK made of it."""
    try:
        return {"anthropic": anthropic, "chat": chat, "responses": responses, "gemini": gemini}[SDK](streams, request)
    except Exception as fault:
        if request["model"] != "fails":
            raise
        return {"error": type(fault).__name__, "words": str(fault)}


for line in sys.stdin:
    given = json.loads(line)
    request = {name: value for name, value in given["request"].items() if name not in ("stream", "stream_options")}
    print(json.dumps(answered(given["streams"], request)), flush=True)
