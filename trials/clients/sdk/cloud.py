"""Takes tool turns at a cloud with its official SDK: `cloud.py URL WAY`, a turn on each line of standard input.

A turn is a question, the call that the model makes, the tool's result, and the answer. What the SDK makes of the answer is printed as a line of JSON.
"""

import contextlib
import json
import os
import sys
from typing import Any, Callable

URL, WAY = sys.argv[1:3]
TOOL = "run_command"
SCHEMA = {"type": "object", "properties": {"command": {"type": "string"}}}

# What came of a request: the text, the calls with what they are known by, the message as it is to be sent again, the tokens, and the end.
Heard = tuple[str, list[tuple[str, str]], Any, list[int], str | None]


def boto() -> Any:
    """A client of Bedrock's."""
    import boto3
    from botocore import UNSIGNED
    from botocore.config import Config

    settings: dict[str, Any] = {"retries": {"max_attempts": 0}}
    key = os.environ.get("KEY_IN_HEADER")
    if key:
        settings["signature_version"] = UNSIGNED
    client = boto3.client("bedrock-runtime", endpoint_url=URL, region_name="us-east-1", config=Config(**settings))
    if key:
        client.meta.events.register("before-sign.bedrock-runtime", lambda request, **_: request.headers.add_header("Authorization", f"Bearer {key}"))
    return client


def heard(stream: Any) -> Any:
    """The events of a stream, which is closed behind them even if it breaks."""
    with contextlib.closing(stream):
        yield from stream


def converse(model: str, streams: bool, result: str) -> dict[str, Any]:
    """With boto3's Converse."""
    client = boto()
    tools = {"tools": [{"toolSpec": {"name": TOOL, "inputSchema": {"json": SCHEMA}}}]}
    messages: list[dict[str, Any]] = [{"role": "user", "content": [{"text": "Look"}]}]

    def ask() -> Heard:
        given = {"modelId": model, "messages": messages, "toolConfig": tools}
        if not streams:
            answer = client.converse(**given)
            return blocks(answer["output"]["message"], answer["usage"], answer["stopReason"])
        message: dict[str, Any] = {"role": "", "content": []}
        usage, end, parts = None, None, {}
        for event in heard(client.converse_stream(**given)["stream"]):
            ((name, body),) = event.items()
            if name == "messageStart":
                message["role"] += body["role"]
            elif name == "contentBlockStart":
                parts[body["contentBlockIndex"]] = {"toolUse": {**body["start"]["toolUse"], "input": ""}}
            elif name == "contentBlockDelta":
                part = parts.setdefault(body["contentBlockIndex"], {"text": ""})
                if "text" in part:
                    part["text"] += body["delta"]["text"]
                else:
                    part["toolUse"]["input"] += body["delta"]["toolUse"]["input"]
            elif name == "messageStop":
                end = body["stopReason"]
            elif name == "metadata":
                usage = body["usage"]
        assert list(parts) == list(range(len(parts))) and message["role"] == "assistant", (parts, message)
        for part in parts.values():
            if "toolUse" in part:
                part["toolUse"]["input"] = json.loads(part["toolUse"]["input"])
        message["content"] = list(parts.values())
        return blocks(message, usage, end)

    def blocks(message: dict[str, Any], usage: dict[str, int], end: str | None) -> Heard:
        text = "".join(block.get("text", "") for block in message["content"])
        calls = [(block["toolUse"]["name"], block["toolUse"]["toolUseId"]) for block in message["content"] if "toolUse" in block]
        assert usage["totalTokens"] == usage["inputTokens"] + usage["outputTokens"], usage
        return text, calls, message, [usage["inputTokens"], usage["outputTokens"]], end

    def answer(mark: str, message: Any) -> None:
        messages.append(message)
        messages.append({"role": "user", "content": [{"toolResult": {"toolUseId": mark, "content": [{"text": result}]}}]})

    return turn(ask, answer)


def anthropic_request(model: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """A request of Anthropic's Messages."""
    return {"max_tokens": 100, "messages": messages, "tools": [{"name": TOOL, "input_schema": SCHEMA}]}


def anthropic_blocks(content: list[dict[str, Any]], usage: dict[str, int], end: str | None) -> Heard:
    """What came of one."""
    text = "".join(block["text"] for block in content if block["type"] == "text")
    calls = [(block["name"], block["id"]) for block in content if block["type"] == "tool_use"]
    return text, calls, {"role": "assistant", "content": content}, [usage["input_tokens"], usage["output_tokens"]], end


def anthropic_answer(messages: list[dict[str, Any]], result: str) -> Callable[[str, Any], None]:
    """Adds a result."""

    def answer(mark: str, message: Any) -> None:
        messages.append(message)
        messages.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": mark, "content": result}]})

    return answer


def invoke(model: str, streams: bool, result: str) -> dict[str, Any]:
    """With boto3's InvokeModel, and Anthropic's Messages in it."""
    client = boto()
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Look"}]

    def ask() -> Heard:
        body = json.dumps({"anthropic_version": "bedrock-2023-05-31", **anthropic_request(model, messages)})
        if not streams:
            whole = json.loads(client.invoke_model(modelId=model, body=body)["body"].read())
            return anthropic_blocks(whole["content"], whole["usage"], whole["stop_reason"])
        content, usage, end = [], {}, None
        for part in heard(client.invoke_model_with_response_stream(modelId=model, body=body)["body"]):
            event = json.loads(part["chunk"]["bytes"])
            if event["type"] == "message_start":
                usage |= event["message"]["usage"]
            elif event["type"] == "content_block_start":
                assert event["index"] == len(content), event
                content.append({**event["content_block"], "input": ""} if event["content_block"]["type"] == "tool_use" else event["content_block"])
            elif event["type"] == "content_block_delta":
                delta = event["delta"]
                block = content[event["index"]]
                block["text" if "text" in delta else "input"] += delta.get("text", delta.get("partial_json"))
            elif event["type"] == "message_delta":
                usage, end = usage | event["usage"], event["delta"]["stop_reason"]
            elif event["type"] == "message_stop":
                counted = event["amazon-bedrock-invocationMetrics"]
                assert [counted["inputTokenCount"], counted["outputTokenCount"]] == [usage["input_tokens"], usage["output_tokens"]], (counted, usage)
        for block in content:
            if block["type"] == "tool_use":
                block["input"] = json.loads(block["input"])
        return anthropic_blocks(content, usage, end)

    return turn(ask, anthropic_answer(messages, result))


def anthropic(make: Callable[[], Any]) -> Callable[[str, bool, str], dict[str, Any]]:
    """With Anthropic's own client for a cloud."""

    def play(model: str, streams: bool, result: str) -> dict[str, Any]:
        client = make()
        messages: list[dict[str, Any]] = [{"role": "user", "content": "Look"}]

        def ask() -> Heard:
            request = {"model": model, **anthropic_request(model, messages)}
            if streams:
                with client.messages.stream(**request) as stream:
                    heard = "".join(stream.text_stream)
                    answer = stream.get_final_message()
            else:
                answer = client.messages.create(**request)
            content = [block.model_dump(exclude_none=True) for block in answer.content]
            found = anthropic_blocks(content, answer.usage.model_dump(), answer.stop_reason)
            assert not streams or heard == found[0], (heard, found)
            return found

        return turn(ask, anthropic_answer(messages, result))

    return play


def bedrock() -> Any:
    """Anthropic's client for Bedrock."""
    from anthropic import AnthropicBedrock

    keys = {"aws_access_key": os.environ.get("AWS_ACCESS_KEY_ID"), "aws_secret_key": os.environ.get("AWS_SECRET_ACCESS_KEY")}
    return AnthropicBedrock(base_url=URL, aws_region="us-east-1", max_retries=0, **{name: key for name, key in keys.items() if key})


def anthropic_vertex() -> Any:
    """Anthropic's client for Vertex."""
    from anthropic import AnthropicVertex

    return AnthropicVertex(base_url=f"{URL}/v1", region="us-east5", project_id="p", access_token="none", max_retries=0)


def azure(model: str) -> Any:
    """The client for Azure."""
    from openai import AzureOpenAI

    # A client is for one deployment at chat; Responses name it in the body.
    return AzureOpenAI(azure_endpoint=URL, api_key="none", api_version="2025-04-01-preview", max_retries=0)


def azure_v1(model: str) -> Any:
    """The usual client, for Azure's newer address."""
    from openai import OpenAI

    return OpenAI(base_url=f"{URL}/openai/v1/", api_key="none", default_headers={"api-key": "none"}, max_retries=0)


def chat(make: Callable[[str], Any]) -> Callable[[str, bool, str], dict[str, Any]]:
    """With Chat Completions."""

    def play(model: str, streams: bool, result: str) -> dict[str, Any]:
        client = make(model)
        messages: list[Any] = [{"role": "user", "content": "Look"}]
        tools = [{"type": "function", "function": {"name": TOOL, "parameters": SCHEMA}}]

        def ask() -> Heard:
            request = {"model": model, "messages": messages, "tools": tools}
            if streams:
                with client.chat.completions.stream(**request, stream_options={"include_usage": True}) as stream:
                    heard = "".join(event.delta for event in stream if event.type == "content.delta")
                    answer = stream.get_final_completion()
            else:
                answer = client.chat.completions.create(**request)
            choice = answer.choices[0]
            text = choice.message.content or ""
            assert not streams or heard == text, (heard, text)
            calls = [(call.function.name, call.id) for call in choice.message.tool_calls or []]
            message = {"role": "assistant", "content": choice.message.content, "tool_calls": [
                {"id": call.id, "type": "function", "function": {"name": call.function.name, "arguments": call.function.arguments}}
                for call in choice.message.tool_calls or []
            ]}
            return text, calls, message, [answer.usage.prompt_tokens, answer.usage.completion_tokens], choice.finish_reason

        def answer(mark: str, message: Any) -> None:
            messages.append(message)
            messages.append({"role": "tool", "tool_call_id": mark, "content": result})

        return turn(ask, answer)

    return play


def responses(make: Callable[[str], Any]) -> Callable[[str, bool, str], dict[str, Any]]:
    """With Responses."""

    def play(model: str, streams: bool, result: str) -> dict[str, Any]:
        client = make(model)
        items: list[Any] = [{"role": "user", "content": "Look"}]
        tools = [{"type": "function", "name": TOOL, "parameters": SCHEMA, "strict": False}]

        def ask() -> Heard:
            request = {"model": model, "input": items, "tools": tools, "store": False}
            if streams:
                heard = ""
                with client.responses.stream(**request) as stream:
                    for event in stream:
                        if event.type == "response.output_text.delta":
                            heard += event.delta
                        if event.type == "response.failed":
                            raise RuntimeError(event.response.error.message)
                    answer = stream.get_final_response()
            else:
                answer = client.responses.create(**request)
            assert not streams or heard == answer.output_text, (heard, answer.output_text)
            calls = [(item.name, item.call_id) for item in answer.output if item.type == "function_call"]
            said = [{"type": "function_call", "call_id": item.call_id, "name": item.name, "arguments": item.arguments} for item in answer.output if item.type == "function_call"]
            return answer.output_text, calls, said, [answer.usage.input_tokens, answer.usage.output_tokens], answer.status

        def answer(mark: str, said: Any) -> None:
            items.extend(said)
            items.append({"type": "function_call_output", "call_id": mark, "output": result})

        return turn(ask, answer)

    return play


def gemini(make: Callable[[], Any]) -> Callable[[str, bool, str], dict[str, Any]]:
    """With Google's client."""

    def play(model: str, streams: bool, result: str) -> dict[str, Any]:
        client = make()
        contents: list[Any] = [{"role": "user", "parts": [{"text": "Look"}]}]
        config = {"tools": [{"function_declarations": [{"name": TOOL, "parameters_json_schema": SCHEMA}]}]}

        def ask() -> Heard:
            given = {"model": model, "contents": contents, "config": config}
            pieces = list(client.models.generate_content_stream(**given)) if streams else [client.models.generate_content(**given)]
            parts = [part for piece in pieces for part in piece.candidates[0].content.parts or []]
            ends = [piece.candidates[0].finish_reason for piece in pieces if piece.candidates[0].finish_reason]
            usage = pieces[-1].usage_metadata
            calls = [(part.function_call.name, part.function_call.name) for part in parts if part.function_call]
            message = {"role": "model", "parts": [part.model_dump(exclude_none=True) for part in parts]}
            counts = [usage.prompt_token_count, usage.candidates_token_count]
            return "".join(part.text or "" for part in parts), calls, message, counts, ",".join(end.value for end in ends)

        def answer(mark: str, message: Any) -> None:
            contents.append(message)
            contents.append({"role": "user", "parts": [{"function_response": {"name": mark, "response": {"output": result}}}]})

        return turn(ask, answer)

    return play


def vertex() -> Any:
    """Google's client, for a project."""
    from google import genai
    from google.oauth2.credentials import Credentials

    return genai.Client(vertexai=True, project="p", location="us-east5", credentials=Credentials("none"), http_options={"base_url": URL})


def express() -> Any:
    """Google's client, with a key alone."""
    from google import genai

    return genai.Client(vertexai=True, api_key="none", http_options={"base_url": URL})


def turn(ask: Callable[[], Heard], answer: Callable[[str, Any], None]) -> dict[str, Any]:
    """Asks, runs the tool that is called, and asks again."""
    _, calls, message, _, _ = ask()
    assert [name for name, _ in calls] == [TOOL], calls
    answer(calls[0][1], message)
    text, calls, _, usage, end = ask()
    return {"text": text, "calls": [name for name, _ in calls], "usage": usage, "end": end}


WAYS = {
    "converse": converse, "invoke": invoke, "bedrock": anthropic(bedrock), "anthropic-vertex": anthropic(anthropic_vertex),
    "azure": chat(azure), "azure-responses": responses(azure), "azure-v1": chat(azure_v1), "azure-v1-responses": responses(azure_v1),
    "vertex": gemini(vertex), "express": gemini(express),
}

for line in sys.stdin:
    given = json.loads(line)
    try:
        told = WAYS[WAY](given["model"], given["streams"], given["result"])
    except Exception as fault:
        if given["model"] != "fails":
            raise
        told = {"error": type(fault).__name__, "words": str(fault)}
    print(json.dumps(told), flush=True)
