"""One tool turn with OpenAI's SDK for Python: URL, and chat or responses."""

import json
import subprocess
import sys

import openai

client = openai.OpenAI(base_url=sys.argv[1] + "/v1", api_key="none", max_retries=0)
schema = {"type": "object", "properties": {"command": {"type": "string"}}}
function = {"name": "list_items", "description": "Lists items", "parameters": schema}
QUESTION = {"role": "user", "content": "How many items are there?"}


def run(arguments: str) -> str:
    """What the tool says."""
    command = json.loads(arguments)["command"]
    return subprocess.run(command, shell=True, capture_output=True, text=True, check=True).stdout


def chat() -> None:
    """With Chat Completions."""
    messages = [QUESTION]
    tools = [{"type": "function", "function": function}]
    while True:
        stream = client.chat.completions.create(model="test-model", messages=messages, tools=tools, stream=True)
        call = None
        for chunk in stream:
            delta = chunk.choices[0].delta if chunk.choices else None
            print((delta and delta.content) or "", end="", flush=True)
            call = (delta and delta.tool_calls or [call])[0]
        if call is None:
            return
        given = {"name": call.function.name, "arguments": call.function.arguments}
        calls = [{"id": call.id, "type": "function", "function": given}]
        messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        messages.append({"role": "tool", "tool_call_id": call.id, "content": run(call.function.arguments)})


def responses() -> None:
    """With Responses."""
    items = [QUESTION]
    while True:
        tools = [{"type": "function", **function}]
        stream = client.responses.create(model="test-model", input=items, tools=tools, stream=True)
        calls = []
        for event in stream:
            if event.type == "response.output_text.delta":
                print(event.delta, end="", flush=True)
            if event.type == "response.output_item.done" and event.item.type == "function_call":
                calls.append(event.item)
        if not calls:
            return
        items += [call.model_dump(exclude_none=True) for call in calls]
        items += [{"type": "function_call_output", "call_id": call.call_id, "output": run(call.arguments)} for call in calls]


{"chat": chat, "responses": responses}[sys.argv[2]]()
