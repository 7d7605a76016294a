"""Makes tool results smaller in a LiteLLM proxy, with a Tersely that runs beside it or elsewhere.

    guardrails:
      - guardrail_name: tersely
        litellm_params:
          guardrail: tersely.litellm.TerselyGuardrail
          mode: pre_call
          default_on: true
          api_base: http://127.0.0.1:8787

Every request sends all of its messages, so that a result is small from the moment it first appears and stays as it
was: the provider's prompt cache keeps hitting. Whatever goes wrong here, the request goes on as it came.

This module needs LiteLLM; nothing else in the package does.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Mapping
from typing import Any, ClassVar
from urllib.parse import urlsplit

import httpx
from litellm.integrations.custom_guardrail import CustomGuardrail
from litellm.types.integrations.custom_logger import AgenticLoopPlan, AgenticLoopRequestPatch

__all__ = ["TerselyGuardrail"]

TOOL = "expand_context"
"""The tool with which a model fetches back what was left out."""

_log = logging.getLogger("tersely")

# What a route is called here, and where its messages are.
_SHAPES: dict[str, tuple[str, str]] = {
    "completion": ("openai", "messages"),
    "acompletion": ("openai", "messages"),
    "anthropic_messages": ("anthropic", "messages"),
    "responses": ("responses", "input"),
    "aresponses": ("responses", "input"),
}

# What says to LiteLLM that a request came for a stream, and was sent for a whole answer: it then streams that.
_CONVERTED = "_headroom_interception_converted_stream"
_CONVERTIBLE = frozenset({"completion", "acompletion", "responses", "aresponses"})

# How often LiteLLM lets a model ask within one request unless told otherwise.
_LOOPS = 3

_ID = re.compile(r"(?:<<<SHADOW:)?\s*(shadow_[0-9a-f]{32})")
_NAMELESS = 'Give the id as it stands after <<<SHADOW: as in {"id": "shadow_..."}.'
_ABSENT = "Nothing is kept under this id. Asking again will not help; call the tool again if you need its result."
_FAILED = "This cannot be shown now. Go on without it, or call the tool again for its result."


class TerselyGuardrail(CustomGuardrail):
    """A guardrail that sends messages through ``POST /v1/compress``.

    ``api_base`` is where Tersely listens and ``api_key`` a bearer token, should something before it ask for one.
    ``expand`` lets Tersely leave detail out and offers the model a tool to fetch that back; the client sees neither
    the tool nor its calls, but what would have been streamed then comes at the end, for LiteLLM has to see all of an
    answer first. ``timeout`` is how many seconds a request waits for Tersely before it goes on as it came. ``reader``
    is ``small`` for models that only read plain forms.
    """

    server_fulfilled_tool_names: ClassVar[frozenset[str]] = frozenset({TOOL})

    # Requests go through the hooks below; `apply_guardrail` is only for an auto router's own look at one.
    use_native_lifecycle_hooks: ClassVar[bool] = True

    # An auto router may name this guardrail as its compressor: see deploy/examples/litellm.
    compresses_prompts: ClassVar[bool] = True

    def __init__(
        self,
        api_base: str = "http://127.0.0.1:8787",
        api_key: str | None = None,
        expand: bool = False,
        timeout: float | None = None,
        reader: str | None = None,
        **kwargs: Any,
    ) -> None:
        self.door = api_base.rstrip("/")
        self.api_key = api_key
        self.expand = expand
        self.seconds = timeout if timeout is not None and timeout > 0 else 2.0
        self.reader = reader
        self._client: httpx.AsyncClient | None = None
        super().__init__(**kwargs)

    async def async_pre_call_hook(
        self, user_api_key_dict: Any, cache: Any, data: dict[str, Any], call_type: Any
    ) -> dict[str, Any]:
        """The request with its messages made smaller; as it came, if that cannot be."""
        try:
            await self._shorten(data, str(getattr(call_type, "value", call_type)), self.expand)
        except Exception as error:  # noqa: BLE001 - no fault of ours may cost a request
            _log.warning(
                "tersely at %s: a request goes on as it came: %s", _place(self.door), type(error).__name__
            )
        return data

    async def apply_guardrail(
        self, inputs: Any, request_data: dict[str, Any], input_type: str, logging_obj: Any = None
    ) -> Any:
        """The messages that an auto router reads to choose a model, made smaller; as they came, if that cannot be."""
        given = inputs.get("structured_messages")
        if input_type != "request" or not isinstance(given, list):
            return inputs
        asked = {"messages": given, "model": request_data.get("model")}
        try:
            await self._shorten(asked, "acompletion", expand=False)
        except Exception as error:  # noqa: BLE001 - no fault of ours may cost a request
            _log.warning(
                "tersely at %s: a router reads a request as it came: %s", _place(self.door), type(error).__name__
            )
            return inputs
        return {**inputs, "structured_messages": asked["messages"]}

    async def async_pre_call_deployment_hook(
        self, kwargs: dict[str, Any], call_type: Any
    ) -> dict[str, Any] | None:
        """Asks for a whole answer where the tool is offered: its calls cannot be taken out of a stream."""
        kind = str(getattr(call_type, "value", call_type))
        if kind not in _CONVERTIBLE or not kwargs.get("stream") or not _offers(kwargs.get("tools")):
            return kwargs
        return {**kwargs, "stream": False, _CONVERTED: True}

    async def async_should_run_agentic_loop(
        self,
        response: Any,
        model: str,
        messages: list[dict[str, Any]],
        tools: list[dict[str, Any]] | None,
        stream: bool,
        custom_llm_provider: str,
        kwargs: dict[str, Any],
    ) -> tuple[bool, dict[str, Any]]:
        """Whether the model asks for what was left out."""
        calls = _Turn(response).calls if _offers(tools) else []
        return bool(calls), {"tool_calls": calls} if calls else {}

    async def async_build_agentic_loop_plan(
        self,
        tools: dict[str, Any],
        model: str,
        messages: list[dict[str, Any]],
        response: Any,
        anthropic_messages_provider_config: Any,
        anthropic_messages_optional_request_params: dict[str, Any],
        logging_obj: Any,
        stream: bool,
        kwargs: dict[str, Any],
    ) -> AgenticLoopPlan:
        """The request that goes on from the model's turn with what it asked for."""
        turn = _Turn(response)
        answers = [await self._fetch(call["arguments"], _tenant(kwargs)) for call in turn.calls]
        details = getattr(logging_obj, "model_call_details", None) or {}
        named = (details.get("agentic_loop_params") or {}).get("model")
        offered = anthropic_messages_optional_request_params.get("tools")
        last = int(kwargs.get("_agentic_loop_depth") or 0) + 1 >= int(kwargs.get("max_agentic_loops") or _LOOPS)
        patch = AgenticLoopRequestPatch(
            model=named if isinstance(named, str) and named else model,
            messages=[*_items(messages), *turn.told(answers)],
            # Who cannot ask any more leaves no question open.
            tools=[tool for tool in offered if _name(tool) != TOOL] if last and isinstance(offered, list) else None,
        )
        return AgenticLoopPlan(run_agentic_loop=True, request_patch=patch, metadata={"tool_type": "tersely"})

    async def _shorten(self, data: dict[str, Any], call_type: str, expand: bool) -> None:
        shape = _SHAPES.get(call_type)
        if shape is None or data.get(shape[1]) is None:
            return
        wire, place = shape
        expand = expand and not data.get("background") and data.get("n") in (None, 1)
        given, tools = data[place], data.get("tools")
        question: dict[str, Any] = {
            "messages": _items(given),
            "config": {"format": wire, "retrieve": expand},
        }
        if isinstance(data.get("model"), str):
            question["model"] = data["model"]
        if expand and isinstance(tools, list):
            question["tools"] = tools
        answer = await self._ask("POST", "/v1/compress", _tenant(data), content=json.dumps(question).encode())
        answer.raise_for_status()
        found = answer.json()
        messages = found["messages"]
        same = len(messages) == len(question["messages"]) and all(
            isinstance(now, dict) and now.get("role") == then.get("role")
            for now, then in zip(messages, question["messages"])
        )
        if not same:
            raise ValueError("other messages than were sent")
        if isinstance(given, list):
            data[place] = messages
        if expand and isinstance(found.get("tools"), list):
            data["tools"] = found["tools"]
        _record(data, found)

    async def _fetch(self, arguments: Mapping[str, Any], tenant: str) -> str:
        """What the model gets for a call: all of a text, or the part that it wants to see."""
        found = _ID.match(str(arguments.get("id") or "").strip())
        if found is None:
            return _NAMELESS
        part = arguments.get("part") or arguments.get("lines") or arguments.get("search") or arguments.get("path")
        try:
            answer = await self._ask(
                "GET", f"/v1/retrieve/{found[1]}", tenant, params={"query": str(part)} if part else {}
            )
            if answer.status_code == 404:
                return _ABSENT
            answer.raise_for_status()
            return str(answer.json()["original_content"])
        except Exception as error:  # noqa: BLE001 - the model is told, and the request goes on
            _log.warning("tersely at %s: a text cannot be fetched back: %s", _place(self.door), type(error).__name__)
            return _FAILED

    async def _ask(self, method: str, path: str, tenant: str, **body: Any) -> httpx.Response:
        if self._client is None:
            self._client = httpx.AsyncClient(trust_env=False)
        # Whose texts they are: LiteLLM's own keys tell its users apart, so that none reads another's.
        headers = {"content-type": "application/json", "x-api-key": tenant}
        if self.api_key:
            headers["authorization"] = f"Bearer {self.api_key}"
        if self.reader:
            headers["x-tersely-reader"] = self.reader
        return await self._client.request(method, self.door + path, headers=headers, timeout=self.seconds, **body)


class _Turn:
    """What a model said in an answer of any of the three shapes, as far as it calls the tool."""

    def __init__(self, response: Any) -> None:
        said = _plain(response)
        self.calls: list[dict[str, Any]] = []
        self._before: list[dict[str, Any]] = []
        if isinstance(said.get("output"), list):
            self._shape = "responses"
            self._read_items(said["output"])
        elif isinstance(said.get("content"), list):
            self._shape = "anthropic"
            self._read_blocks(said["content"])
        else:
            self._shape = "openai"
            self._read_message(said.get("choices") or [])

    def told(self, answers: list[str]) -> list[dict[str, Any]]:
        """The turn and the answers to it, as they are sent to the model again.

        A call of the client's own tools in the same turn is left out, for nobody has answered it yet: the model makes
        it again once it has seen what it asked for.
        """
        pairs = list(zip(self.calls, answers))
        if self._shape == "responses":
            told = list(self._before)
            for call, answer in pairs:
                told.append(call["item"])
                told.append({"type": "function_call_output", "call_id": call["id"], "output": answer})
            return told
        if self._shape == "anthropic":
            results = [{"type": "tool_result", "tool_use_id": call["id"], "content": text} for call, text in pairs]
            blocks = [*self._before, *(call["item"] for call in self.calls)]
            return [{"role": "assistant", "content": blocks}, {"role": "user", "content": results}]
        said = {**self._before[0], "tool_calls": [call["item"] for call in self.calls]}
        return [said, *({"role": "tool", "tool_call_id": call["id"], "content": text} for call, text in pairs)]

    def _read_items(self, items: list[Any]) -> None:
        for item in map(_plain, items):
            if item.get("type") == "function_call":
                self._call(item.get("name"), item.get("call_id"), item.get("arguments"), item)
            else:
                self._before.append(item)

    def _read_blocks(self, blocks: list[Any]) -> None:
        for block in map(_plain, blocks):
            if block.get("type") == "tool_use":
                self._call(block.get("name"), block.get("id"), block.get("input"), block)
            else:
                self._before.append(block)

    def _read_message(self, choices: list[Any]) -> None:
        message = _plain(_plain(choices[0]).get("message")) if choices else {}
        thought = {name: message[name] for name in ("reasoning_content", "thinking_blocks") if message.get(name)}
        self._before.append({"role": "assistant", "content": message.get("content"), **thought})
        for call in map(_plain, message.get("tool_calls") or []):
            function = _plain(call.get("function"))
            item = {"id": call.get("id"), "type": "function", "function": function}
            self._call(function.get("name"), call.get("id"), function.get("arguments"), item)

    def _call(self, name: Any, call_id: Any, arguments: Any, item: dict[str, Any]) -> None:
        if name != TOOL:
            return
        if isinstance(arguments, str):
            try:
                arguments = json.loads(arguments)
            except ValueError:
                arguments = {}
        given = arguments if isinstance(arguments, dict) else {}
        self.calls.append({"id": str(call_id), "arguments": given, "item": item})


def _plain(value: Any) -> dict[str, Any]:
    """A part of an answer as a dict, whatever LiteLLM has made of it."""
    if isinstance(value, dict):
        return value
    dump = getattr(value, "model_dump", None)
    plain = dump(exclude_none=True) if callable(dump) else None
    return plain if isinstance(plain, dict) else {}


def _items(given: Any) -> list[dict[str, Any]]:
    """A list of messages; one text is a user's."""
    return list(given) if isinstance(given, (list, tuple)) else [{"role": "user", "content": given}]


def _name(tool: Any) -> Any:
    plain = _plain(tool)
    return plain.get("name") or _plain(plain.get("function")).get("name")


def _offers(tools: Any) -> bool:
    return isinstance(tools, list) and any(_name(tool) == TOOL for tool in tools)


def _place(address: str) -> str:
    """An address as a log may show it: without its password."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}" if parts.netloc else address


def _tenant(data: Mapping[str, Any]) -> str:
    """A name for the key that a request came with, in which the key cannot be read."""
    places = [data.get("litellm_metadata"), data.get("metadata"), _plain(data.get("litellm_params")).get("metadata")]
    names = ("user_api_key_hash", "user_api_key")
    said = [str(place[name]) for place in places if isinstance(place, dict) for name in names if place.get(name)]
    return hashlib.sha256(("litellm " + (said[0] if said else "")).encode()).hexdigest()


def _record(data: dict[str, Any], found: Mapping[str, Any]) -> None:
    """Tells LiteLLM what was saved, where it looks for that."""
    place = data.get("litellm_metadata" if "litellm_metadata" in data else "metadata")
    if isinstance(place, dict) and isinstance(found.get("tokens_saved"), int):
        names = ("tokens_before", "tokens_after", "tokens_saved")
        place["compression_savings"] = {**{name: found.get(name) for name in names}, "source": "tersely"}
