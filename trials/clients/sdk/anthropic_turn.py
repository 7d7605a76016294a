"""One tool turn with Anthropic's SDK for Python: URL."""

import subprocess
import sys

import anthropic

client = anthropic.Anthropic(base_url=sys.argv[1], api_key="none", max_retries=0)
schema = {"type": "object", "properties": {"command": {"type": "string"}}}
tools = [{"name": "list_items", "description": "Lists items", "input_schema": schema}]
messages = [{"role": "user", "content": "How many items are there?"}]
while True:
    asked = {"model": "test-model", "max_tokens": 100, "tools": tools, "messages": messages}
    client.messages.count_tokens(**{name: value for name, value in asked.items() if name != "max_tokens"})
    with client.messages.stream(**asked) as stream:
        for text in stream.text_stream:
            print(text, end="", flush=True)
        answer = stream.get_final_message()
    calls = [block for block in answer.content if block.type == "tool_use"]
    if not calls:
        break
    said = subprocess.run(calls[0].input["command"], shell=True, capture_output=True, text=True, check=True).stdout
    messages.append({"role": "assistant", "content": answer.content})
    messages.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": calls[0].id, "content": said}]})
