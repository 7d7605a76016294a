"""Runs a tool loop in every framework, with the real packages and a scripted upstream: sync and async, whole and streamed.

    python3 trials/frameworks/run.py          # sets up target/frameworks first

A run must end with the model's answer, the model must get what it asked for in the middle of its turn, the framework must
see nothing of it, and no request may differ from one without Tersely but in tool results. Fails if one does not.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
import json
import os
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from scripted import AGENT_TOOL, ANSWER, LOG, QUESTION, Scripted, check  # noqa: E402 - found by the line above
from speech import TOOL, SHAPES  # noqa: E402

os.environ.update(OPENAI_API_KEY="sk-test", ANTHROPIC_API_KEY="sk-test", OPENAI_AGENTS_DISABLE_TRACING="1")

# Where setup.py put the packages of npm, and scenarios.mjs.
PLACE = Path(os.environ.get("TERSELY_FRAMEWORKS", Path(__file__).parents[2] / "target/frameworks"))
NODE = PLACE / "node"
os.environ["TERSELY_NATIVE"] = str(PLACE / "tersely.node")

SCHEMA = {"type": "object", "properties": {"day": {"type": "string"}}, "required": ["day"]}
GPT, CLAUDE = "gpt-5", "claude-sonnet-4-5"


def read_logs(day: str) -> str:
    """Reads the logs of a day."""
    return LOG


# Each takes the address, whether Tersely is in it, and whether the answer is streamed; it returns all that the framework
# showed, and its answer is part of it.
Scenario = Callable[[str, bool, bool], str]


def openai_chat(url: str, tersely_on: bool, streamed: bool) -> str:
    import openai
    import tersely

    client = openai.OpenAI(base_url=f"{url}/v1", max_retries=0)
    client = tersely.openai(client) if tersely_on else client
    tools = [{"type": "function", "function": {"name": AGENT_TOOL, "parameters": SCHEMA}}]
    messages: list = [{"role": "user", "content": QUESTION}]
    shown = []
    for _ in range(3):
        if streamed:
            with client.chat.completions.stream(model=GPT, messages=messages, tools=tools) as stream:
                shown += [str(event) for event in stream]
                message = stream.get_final_completion().choices[0].message
        else:
            message = client.chat.completions.create(model=GPT, messages=messages, tools=tools).choices[0].message
        shown.append(message.model_dump_json())
        if not message.tool_calls:
            return "\n".join(shown) + str(message.content)
        messages.append(message)
        messages += [{"role": "tool", "tool_call_id": call.id, "content": read_logs("today")} for call in message.tool_calls]
    return "no end"


def openai_chat_async(url: str, tersely_on: bool, streamed: bool) -> str:
    import openai
    import tersely

    async def loop() -> str:
        client = openai.AsyncOpenAI(base_url=f"{url}/v1", max_retries=0)
        client = tersely.openai(client) if tersely_on else client
        tools = [{"type": "function", "function": {"name": AGENT_TOOL, "parameters": SCHEMA}}]
        messages: list = [{"role": "user", "content": QUESTION}]
        shown = []
        for _ in range(3):
            if streamed:
                async with client.chat.completions.stream(model=GPT, messages=messages, tools=tools) as stream:
                    shown += [str(event) async for event in stream]
                    message = (await stream.get_final_completion()).choices[0].message
            else:
                done = await client.chat.completions.create(model=GPT, messages=messages, tools=tools)
                message = done.choices[0].message
            shown.append(message.model_dump_json())
            if not message.tool_calls:
                return "\n".join(shown) + str(message.content)
            messages.append(message)
            messages += [{"role": "tool", "tool_call_id": call.id, "content": LOG} for call in message.tool_calls]
        return "no end"

    return asyncio.run(loop())


def openai_responses(url: str, tersely_on: bool, streamed: bool) -> str:
    import openai
    import tersely

    client = openai.OpenAI(base_url=f"{url}/v1", max_retries=0)
    client = tersely.openai(client) if tersely_on else client
    tools = [{"type": "function", "name": AGENT_TOOL, "parameters": SCHEMA, "strict": False}]
    items: list = [{"role": "user", "content": QUESTION}]
    shown = []
    for _ in range(3):
        if streamed:
            with client.responses.stream(model=GPT, input=items, tools=tools, store=False) as stream:
                shown += [str(event) for event in stream]
                response = stream.get_final_response()
        else:
            response = client.responses.create(model=GPT, input=items, tools=tools, store=False)
        shown.append(response.model_dump_json())
        calls = [item for item in response.output if item.type == "function_call"]
        if not calls:
            return "\n".join(shown) + response.output_text
        items += [call.model_dump(exclude_unset=True, exclude={"status", "parsed_arguments"}) for call in calls]
        items += [{"type": "function_call_output", "call_id": call.call_id, "output": LOG} for call in calls]
    return "no end"


def anthropic_messages(url: str, tersely_on: bool, streamed: bool) -> str:
    import anthropic
    import tersely

    client = anthropic.Anthropic(base_url=url, max_retries=0)
    client = tersely.anthropic(client) if tersely_on else client
    given = {"model": CLAUDE, "max_tokens": 100, "tools": [{"name": AGENT_TOOL, "input_schema": SCHEMA}]}
    messages: list = [{"role": "user", "content": QUESTION}]
    shown = []
    for _ in range(3):
        if streamed:
            with client.messages.stream(messages=messages, **given) as stream:
                shown += [str(event) for event in stream]
                message = stream.get_final_message()
        else:
            message = client.messages.create(messages=messages, **given)
        shown.append(message.model_dump_json())
        calls = [block for block in message.content if block.type == "tool_use"]
        if not calls:
            return "\n".join(shown) + "".join(block.text for block in message.content)
        messages.append({"role": "assistant", "content": message.content})
        results = [{"type": "tool_result", "tool_use_id": call.id, "content": LOG} for call in calls]
        messages.append({"role": "user", "content": results})
    return "no end"


def anthropic_async(url: str, tersely_on: bool, streamed: bool) -> str:
    import anthropic
    import tersely

    async def loop() -> str:
        client = anthropic.AsyncAnthropic(base_url=url, max_retries=0)
        client = tersely.anthropic(client) if tersely_on else client
        given = {"model": CLAUDE, "max_tokens": 100, "tools": [{"name": AGENT_TOOL, "input_schema": SCHEMA}]}
        messages: list = [{"role": "user", "content": QUESTION}]
        shown = []
        for _ in range(3):
            if streamed:
                async with client.messages.stream(messages=messages, **given) as stream:
                    shown += [str(event) async for event in stream]
                    message = await stream.get_final_message()
            else:
                message = await client.messages.create(messages=messages, **given)
            shown.append(message.model_dump_json())
            calls = [block for block in message.content if block.type == "tool_use"]
            if not calls:
                return "\n".join(shown) + "".join(block.text for block in message.content)
            messages.append({"role": "assistant", "content": message.content})
            results = [{"type": "tool_result", "tool_use_id": call.id, "content": LOG} for call in calls]
            messages.append({"role": "user", "content": results})
        return "no end"

    return asyncio.run(loop())


def google_genai(url: str, tersely_on: bool, streamed: bool) -> str:
    import httpx
    import tersely
    from google import genai
    from google.genai import types

    http = httpx.Client()
    http = tersely.httpx.wrap(http) if tersely_on else http
    client = genai.Client(api_key="test", http_options=types.HttpOptions(base_url=url, httpx_client=http))
    declared = types.FunctionDeclaration(name=AGENT_TOOL, parameters_json_schema=SCHEMA)
    config = types.GenerateContentConfig(tools=[types.Tool(function_declarations=[declared])])
    contents = [types.Content(role="user", parts=[types.Part(text=QUESTION)])]
    shown = []
    for _ in range(3):
        given = {"model": "gemini-3-pro", "contents": contents, "config": config}
        if streamed:
            parts = [part for chunk in client.models.generate_content_stream(**given) for part in chunk.candidates[0].content.parts or []]
        else:
            parts = client.models.generate_content(**given).candidates[0].content.parts
        shown += [str(part) for part in parts]
        calls = [part.function_call for part in parts if part.function_call]
        if not calls:
            return "\n".join(shown) + "".join(part.text or "" for part in parts)
        contents.append(types.Content(role="model", parts=parts))
        answers = [types.Part.from_function_response(name=call.name, response={"output": LOG}) for call in calls]
        contents.append(types.Content(role="user", parts=answers))
    return "no end"


def langchain(model: Callable[[str], object], way: str, is_async: bool = False) -> Scenario:
    def run(url: str, tersely_on: bool, streamed: bool) -> str:
        from langchain.agents import create_agent
        from langchain_core.tools import tool as langchain_tool

        from tersely.langchain import TerselyMiddleware, wrap

        chat = model(url)
        middleware = [TerselyMiddleware()] if tersely_on and way == "middleware" else []
        chat = wrap(chat) if tersely_on and way == "client" else chat
        agent = create_agent(chat, [langchain_tool(read_logs)], middleware=middleware)
        given = {"messages": [{"role": "user", "content": QUESTION}]}
        if streamed and is_async:

            async def all_of_it() -> str:
                return "\n".join([str(chunk) async for chunk in agent.astream(given, stream_mode=["messages", "values"])])

            return spoken(asyncio.run(all_of_it()))
        if streamed:
            return spoken("\n".join(str(chunk) for chunk in agent.stream(given, stream_mode=["messages", "values"])))
        return spoken(str(asyncio.run(agent.ainvoke(given)) if is_async else agent.invoke(given)))

    return run


def spoken(text: str) -> str:
    return text


def chat_openai(url: str) -> object:
    from langchain_openai import ChatOpenAI

    return ChatOpenAI(model=GPT, base_url=f"{url}/v1", max_retries=0)


def chat_anthropic(url: str) -> object:
    from langchain_anthropic import ChatAnthropic

    return ChatAnthropic(model=CLAUDE, base_url=url, max_retries=0, max_tokens=100)


def agents_sdk(way: str, api: str) -> Scenario:
    def run(url: str, tersely_on: bool, streamed: bool) -> str:
        import agents
        import openai
        import tersely
        from tersely.agents import input_filter

        async def loop() -> str:
            client = openai.AsyncOpenAI(base_url=f"{url}/v1", max_retries=0)
            client = tersely.openai(client) if tersely_on and way == "client" else client
            kind = agents.OpenAIResponsesModel if api == "responses" else agents.OpenAIChatCompletionsModel
            # In a stream of a response that the provider stores, no tool can be hidden, so nothing would be left out.
            settings = agents.ModelSettings(store=False) if api == "responses" else agents.ModelSettings()
            tools = [agents.function_tool(read_logs)]
            agent = agents.Agent(name="reader", model=kind(GPT, client), tools=tools, model_settings=settings)
            config = agents.RunConfig(call_model_input_filter=input_filter() if tersely_on and way == "filter" else None)
            if not streamed:
                done = await agents.Runner.run(agent, QUESTION, run_config=config)
                return str(done.new_items) + str(done.final_output)
            done = agents.Runner.run_streamed(agent, QUESTION, run_config=config)
            shown = [str(event) async for event in done.stream_events()]
            return "\n".join(shown) + str(done.final_output)

        return asyncio.run(loop())

    return run


def pydantic_ai(way: str, provider: str) -> Scenario:
    def run(url: str, tersely_on: bool, streamed: bool) -> str:
        import anthropic
        import openai
        import tersely
        from pydantic_ai import Agent
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.anthropic import AnthropicProvider
        from pydantic_ai.providers.openai import OpenAIProvider

        from tersely.pydantic_ai import TerselyModel

        async def loop() -> str:
            if provider == "openai":
                client = openai.AsyncOpenAI(base_url=f"{url}/v1", max_retries=0)
                client = tersely.openai(client) if tersely_on and way == "client" else client
                model = OpenAIChatModel(GPT, provider=OpenAIProvider(openai_client=client))
            else:
                other = anthropic.AsyncAnthropic(base_url=url, max_retries=0)
                other = tersely.anthropic(other) if tersely_on and way == "client" else other
                model = AnthropicModel(CLAUDE, provider=AnthropicProvider(anthropic_client=other))
            model = TerselyModel(model) if tersely_on and way == "model" else model
            agent = Agent(model, tools=[read_logs])
            if not streamed:
                done = await agent.run(QUESTION)
                return str(done.all_messages()) + str(done.output)
            async with agent.run_stream(QUESTION) as stream:
                shown = [piece async for piece in stream.stream_text(delta=True)]
                return str(stream.all_messages()) + "".join(shown)

        return asyncio.run(loop())

    return run


def mcp_server() -> str | None:
    """What is wrong with a server of MCP's SDK whose tools are decorated; none if nothing is."""
    import tersely
    from mcp.client import Client
    from mcp.server import MCPServer

    rows = [{"number": n, "state": "open", "url": f"https://example.com/issues/{n}"} for n in range(60)]
    server = MCPServer("issues")

    @server.tool()
    @tersely.tool
    def list_text(repository: str) -> str:
        """Lists issues."""
        return json.dumps(rows)

    @server.tool()
    @tersely.tool
    async def list_rows(repository: str) -> list[dict]:
        """Lists issues."""
        return rows

    async def loop() -> str | None:
        async with Client(server) as client:
            for tool in (await client.list_tools()).tools:
                if list(tool.input_schema["properties"]) != ["repository"] or tool.description != "Lists issues.":
                    return f"{tool.name}: another description"
                done = await client.call_tool(tool.name, {"repository": "shop"})
                if done.is_error or tersely.decode(done.content[0].text) != rows or len(done.content[0].text) > len(str(rows)) / 2:
                    return f"{tool.name}: {done.content[0].text[:80]}"
        return None

    return asyncio.run(loop())


def node(name: str) -> Scenario:
    """A scenario of scenarios.mjs."""

    def run(url: str, tersely_on: bool, streamed: bool) -> str:
        words = [name, url, "on" if tersely_on else "off", "streamed" if streamed else "whole"]
        script = NODE / "scenarios.mjs"
        done = subprocess.run(["node", script, *words], cwd=NODE, capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            raise RuntimeError(done.stderr[-600:])
        return done.stdout

    return run


# Name, API, whether the model can ask for what was left out, and the run.
SCENARIOS: list[tuple[str, str, bool, Scenario]] = [
    ("openai, Chat", "chat", True, openai_chat),
    ("openai async, Chat", "chat", True, openai_chat_async),
    ("openai, Responses", "responses", True, openai_responses),
    ("anthropic", "messages", True, anthropic_messages),
    ("anthropic async", "messages", True, anthropic_async),
    ("google-genai, httpx", "gemini", True, google_genai),
    ("LangChain middleware, ChatOpenAI", "chat", False, langchain(chat_openai, "middleware")),
    ("LangChain middleware async, ChatAnthropic", "messages", False, langchain(chat_anthropic, "middleware", True)),
    ("LangChain wrap, ChatOpenAI", "chat", True, langchain(chat_openai, "client")),
    ("LangChain wrap async, ChatOpenAI", "chat", True, langchain(chat_openai, "client", True)),
    ("LangChain wrap, ChatAnthropic", "messages", True, langchain(chat_anthropic, "client")),
    ("LangChain wrap async, ChatAnthropic", "messages", True, langchain(chat_anthropic, "client", True)),
    ("Agents SDK filter, Responses", "responses", False, agents_sdk("filter", "responses")),
    ("Agents SDK client, Responses", "responses", True, agents_sdk("client", "responses")),
    ("Agents SDK client, Chat", "chat", True, agents_sdk("client", "chat")),
    ("Pydantic AI model, OpenAI", "chat", False, pydantic_ai("model", "openai")),
    ("Pydantic AI client, OpenAI", "chat", True, pydantic_ai("client", "openai")),
    ("Pydantic AI model, Anthropic", "messages", False, pydantic_ai("model", "anthropic")),
    ("Pydantic AI client, Anthropic", "messages", True, pydantic_ai("client", "anthropic")),
    ("Node openai, Chat", "chat", True, node("openai-chat")),
    ("Node openai, Responses", "responses", True, node("openai-responses")),
    ("Node anthropic", "messages", True, node("anthropic")),
    ("AI SDK middleware, OpenAI Chat", "chat", False, node("ai-middleware-openai")),
    ("AI SDK middleware, Anthropic", "messages", False, node("ai-middleware-anthropic")),
    ("AI SDK fetch, OpenAI Chat", "chat", True, node("ai-fetch-openai")),
    ("AI SDK fetch, Anthropic", "messages", True, node("ai-fetch-anthropic")),
]
PACKAGES = ["openai", "anthropic", "google-genai", "langchain", "langchain-openai", "langchain-anthropic", "langgraph", "openai-agents", "pydantic-ai-slim", "mcp"]


def trial(api: str, expands: bool, scenario: Scenario, streamed: bool) -> str | None:
    """What is wrong with a run; none if nothing is."""
    plain = Scripted()
    scenario(plain.url, False, streamed)
    upstream = Scripted()
    said = scenario(upstream.url, True, streamed)
    wrong = check(upstream.bodies, SHAPES[api], expands, plain.bodies)
    if wrong is None and ANSWER not in said:
        wrong = "no answer"
    if wrong is None and TOOL in said:
        wrong = "the framework saw the hidden tool"
    return wrong


def main() -> int:
    only = sys.argv[1] if len(sys.argv) > 1 else ""
    failures = 0
    for name, api, expands, scenario in SCENARIOS:
        for streamed in (False, True):
            if only not in name:
                continue
            try:
                wrong = trial(api, expands, scenario, streamed)
            except Exception as error:  # noqa: BLE001 - a trial that fails says why, and the others go on
                wrong = f"{type(error).__name__}: {str(error)[:300]}"
                if only:
                    traceback.print_exc()
            failures += wrong is not None
            how = "streamed" if streamed else "whole"
            print(f"{'FAILED' if wrong else 'ok':6}  {name}, {how}{': ' + wrong if wrong else ''}", flush=True)
    if only in "MCP server":
        wrong = mcp_server()
        failures += wrong is not None
        print(f"{'FAILED' if wrong else 'ok':6}  MCP server{': ' + wrong if wrong else ''}", flush=True)
    versions = {name: importlib.metadata.version(name) for name in PACKAGES}
    print(json.dumps(versions))
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
