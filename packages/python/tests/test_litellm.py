"""Holds the LiteLLM guardrail to its promises, with stubs in the place of LiteLLM and of the network.

`just litellm` runs it in the real proxy.
"""

import asyncio
import copy
import importlib
import json
import sys
import types
import unittest


class Stub:
    """A class of LiteLLM's that holds what it is given."""

    def __init__(self, **given):
        self.__dict__.update(given)


class Answer:
    def __init__(self, status_code, said):
        self.status_code, self.said = status_code, said

    def json(self):
        return self.said

    def raise_for_status(self):
        if self.status_code >= 400:
            raise OSError(self.status_code)


class Client:
    """Answers as a test says, and remembers what it was asked."""

    asked = []
    says = None

    def __init__(self, **_):
        pass

    async def request(self, method, url, **given):
        Client.asked.append((method, url, given))
        return Client.says(method, url, given)


def module(name, **members):
    made = types.ModuleType(name)
    made.__dict__.update(members)
    sys.modules[name] = made


STUBBED = (
    "httpx",
    "litellm",
    "litellm.integrations",
    "litellm.integrations.custom_guardrail",
    "litellm.types",
    "litellm.types.integrations",
    "litellm.types.integrations.custom_logger",
    "tersely.litellm",
)

LONG = "\n".join(f"line {number}" for number in range(100))
ID = "shadow_" + "ab" * 16


class Guardrail(unittest.TestCase):
    def setUp(self):
        self.before = {name: sys.modules.pop(name, None) for name in STUBBED}
        module("httpx", AsyncClient=Client, Response=Answer)
        for name in STUBBED[1:3] + STUBBED[4:6]:
            module(name)
        module(STUBBED[3], CustomGuardrail=Stub)
        module(STUBBED[6], AgenticLoopPlan=Stub, AgenticLoopRequestPatch=Stub)
        self.litellm = importlib.import_module("tersely.litellm")
        Client.asked = []

    def tearDown(self):
        for name, was in self.before.items():
            sys.modules.pop(name, None)
            if was is not None:
                sys.modules[name] = was

    def guardrail(self, **given):
        return self.litellm.TerselyGuardrail(api_base="http://t/", guardrail_name="tersely", **given)

    def call(self, data, call_type="acompletion", **given):
        return asyncio.run(self.guardrail(**given).async_pre_call_hook(None, None, data, call_type))

    def shorten(self, method, url, given):
        question = json.loads(given["content"])
        messages = json.loads(json.dumps(question["messages"]).replace(json.dumps(LONG), '"short"'))
        answer = {"messages": messages, "tokens_before": 9, "tokens_after": 4, "tokens_saved": 5}
        if question["config"]["retrieve"]:
            answer["tools"] = [*question["tools"], {"type": "function", "function": {"name": "expand_context"}}]
        return Answer(200, answer)

    def test_a_request_goes_on_with_short_results(self):
        Client.says = self.shorten
        bodies = {
            "acompletion": ("messages", "openai", {"role": "tool", "tool_call_id": "c", "content": LONG}),
            "anthropic_messages": ("messages", "anthropic", {"role": "user", "content": [{"type": "tool_result", "content": LONG}]}),
            "aresponses": ("input", "responses", {"type": "function_call_output", "call_id": "c", "output": LONG}),
        }
        for call_type, (place, form, message) in bodies.items():
            data = {"model": "m", place: [{"role": "user", "content": "x"}, message], "metadata": {"user_api_key_hash": "k"}}
            out = self.call(data, call_type)
            self.assertNotIn(LONG, json.dumps(out[place]))
            self.assertEqual(len(out[place]), 2)
            self.assertEqual(out["metadata"]["compression_savings"]["tokens_saved"], 5)
            _, url, given = Client.asked[-1]
            self.assertEqual((url, given["timeout"]), ("http://t/v1/compress", 2.0))
            question = json.loads(given["content"])
            self.assertEqual(question["config"], {"format": form, "retrieve": False})
            self.assertEqual(len(question["messages"]), 2, "all of them, the newest too")
            self.assertNotIn("k", given["headers"].values())

    def test_an_auto_router_reads_short_results_and_nothing_is_left_out_of_them(self):
        Client.says = self.shorten
        given = {"structured_messages": [{"role": "tool", "tool_call_id": "c", "content": LONG}], "texts": ["x"]}
        guardrail = self.guardrail(expand=True)

        def read(kind):
            return asyncio.run(guardrail.apply_guardrail(inputs=copy.deepcopy(given), request_data={"model": "m"}, input_type=kind))

        self.assertEqual(read("request"), {**given, "structured_messages": [{**given["structured_messages"][0], "content": "short"}]})
        self.assertFalse(json.loads(Client.asked[-1][2]["content"])["config"]["retrieve"])
        self.assertEqual(read("response"), given)
        Client.says = lambda *_: Answer(500, {})
        with self.assertLogs("tersely", "WARNING"):
            self.assertEqual(read("request"), given)

    def test_whatever_goes_wrong_the_request_goes_on_as_it_came(self):
        def late(*_):
            raise TimeoutError

        def says(status, said):
            return lambda *_: Answer(status, said)

        data = {"model": "m", "messages": [{"role": "tool", "content": LONG}], "tools": [{}], "metadata": {}}
        other = [{"role": "user", "content": "x"}]
        for wrong in [
            late, says(500, {}), says(200, {}), says(200, []), says(200, {"messages": []}), says(200, {"messages": other}),
            says(200, {"messages": ["x"]}), says(200, {"messages": other * 2}), says(404, {"error": "x"}),
        ]:
            Client.says = wrong
            with self.assertLogs("tersely", "WARNING") as log:
                self.assertEqual(self.call(copy.deepcopy(data), expand=True), data)
            self.assertIn("tersely at http://t: a request goes on as it came: ", log.output[0])

    def test_a_warning_names_the_address_without_its_password(self):
        for address, shown in [("http://u:p@t:8787/x", "http://t:8787"), ("https://t/", "https://t"), ("t", "t")]:
            self.assertEqual(self.litellm._place(address), shown)

    def test_routes_that_are_not_known_are_left_alone(self):
        for call_type, data in [("aembedding", {"input": ["x"]}), ("acompletion", {"prompt": "x"}), ("moderation", {})]:
            self.assertEqual(self.call(copy.deepcopy(data), call_type), data)
        self.assertEqual(Client.asked, [])

    def test_the_tool_is_offered_from_the_first_request_on(self):
        Client.says = self.shorten
        tools = [{"type": "function", "name": "bash"}]
        out = self.call({"input": "Go.", "tools": tools}, "aresponses", expand=True)
        self.assertEqual(out["input"], "Go.")
        self.assertEqual(len(out["tools"]), 2)
        for body in [{"n": 2}, {"background": True}]:
            out = self.call({"messages": [], "tools": tools, **body}, expand=True)
            self.assertEqual(out["tools"], tools)

    def test_each_key_of_the_proxy_has_texts_of_its_own(self):
        Client.says = self.shorten
        said = []
        for place, key in [("metadata", "a"), ("litellm_metadata", "a"), ("metadata", "b"), ("metadata", None)]:
            self.call({"messages": [{"role": "user", "content": "x"}], place: {"user_api_key_hash": key}})
            said.append(Client.asked[-1][2]["headers"]["x-api-key"])
        self.assertEqual(said[0], said[1])
        self.assertEqual(len(set(said)), 3)

    def test_streams_with_the_tool_are_asked_for_whole(self):
        hook = self.guardrail().async_pre_call_deployment_hook
        offered = [{"type": "function", "function": {"name": "expand_context"}}]
        for tools, call_type, stream, converts in [
            (offered, "acompletion", True, True),
            (offered, "aresponses", True, True),
            (offered, "anthropic_messages", True, False),
            (offered, "acompletion", False, False),
            ([], "acompletion", True, False),
        ]:
            out = asyncio.run(hook({"tools": tools, "stream": stream}, call_type))
            self.assertEqual(out["stream"], stream and not converts)

    def plan(self, response, messages, depth=0):
        guardrail = self.guardrail()
        tools = [{"name": "bash"}, {"name": "expand_context"}]
        run, calls = asyncio.run(guardrail.async_should_run_agentic_loop(response, "m", messages, tools, False, "x", {}))
        if not run:
            return None
        kwargs = {"_agentic_loop_depth": depth}
        plan = guardrail.async_build_agentic_loop_plan(calls, "m", messages, response, None, {"tools": tools}, None, False, kwargs)
        return asyncio.run(plan).request_patch

    def test_calls_of_the_tool_are_answered_in_every_shape(self):
        Client.says = lambda method, url, given: Answer(200, {"original_content": f"{url} {given['params']}"})
        wish, function = {"id": ID, "part": "lines 1-2"}, {"name": "expand_context", "arguments": json.dumps({"id": ID, "part": "lines 1-2"})}
        own = {"id": "c2", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
        text = f"http://t/v1/retrieve/{ID} {{'query': 'lines 1-2'}}"
        chat = {"choices": [{"message": {"role": "assistant", "tool_calls": [own, {"id": "c1", "type": "function", "function": function}]}}]}
        told = self.plan(chat, [{"role": "user", "content": "x"}]).messages[1:]
        self.assertEqual([call["id"] for call in told[0]["tool_calls"]], ["c1"], "no call goes on without an answer")
        self.assertEqual(told[1], {"role": "tool", "tool_call_id": "c1", "content": text})
        thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
        blocks = {"content": [thought, {"type": "tool_use", "id": "t1", "name": "expand_context", "input": wish}]}
        told = self.plan(blocks, []).messages
        self.assertEqual(told[0]["content"][0], thought)
        self.assertEqual(told[1]["content"], [{"type": "tool_result", "tool_use_id": "t1", "content": text}])
        items = {"output": [{"type": "reasoning", "id": "r"}, {"type": "function_call", "call_id": "f1", **function}]}
        told = self.plan(items, "Go.").messages
        self.assertEqual([item.get("type") for item in told], [None, "reasoning", "function_call", "function_call_output"])
        self.assertEqual(told[3]["output"], text)

    def test_who_cannot_ask_again_is_not_offered_it(self):
        Client.says = lambda *_: Answer(404, {})
        blocks = {"content": [{"type": "tool_use", "id": "t", "name": "expand_context", "input": {"id": ID}}]}
        self.assertIsNone(self.plan(blocks, []).tools)
        last = self.plan(blocks, [], depth=2)
        self.assertEqual(last.tools, [{"name": "bash"}])
        self.assertIn("Nothing is kept", last.messages[1]["content"][0]["content"])

    def test_what_cannot_be_fetched_is_said(self):
        def fails(*_):
            raise OSError

        Client.says = fails
        for given, words in [({"id": "x"}, "Give the id"), ({}, "Give the id"), ({"id": "../../expand"}, "Give the id")]:
            blocks = {"content": [{"type": "tool_use", "id": "t", "name": "expand_context", "input": given}]}
            self.assertIn(words, self.plan(blocks, []).messages[1]["content"][0]["content"])
        blocks = {"content": [{"type": "tool_use", "id": "t", "name": "expand_context", "input": {"id": ID}}]}
        with self.assertLogs("tersely", "WARNING"):
            self.assertIn("cannot be shown", self.plan(blocks, []).messages[1]["content"][0]["content"])

    def test_answers_without_such_a_call_go_on(self):
        for response in [{}, {"choices": []}, {"choices": [{"message": {"content": "x"}}]}, {"content": [{"type": "text"}]},
                         {"output": [{"type": "function_call", "name": "bash"}]}, None, "x"]:
            self.assertIsNone(self.plan(response, []))


class Alone(unittest.TestCase):
    def test_the_rest_of_the_package_needs_no_litellm(self):
        import tersely

        self.assertNotIn("litellm", [name for name in sys.modules if name == "litellm"])
        self.assertEqual(tersely.decode("{a: 1}"), {"a": 1})


if __name__ == "__main__":
    unittest.main()
