/** What the package does in process: with the native part, or with the program in its place. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { test } from "node:test";

import { compress, compressAsync, decode, DecodeError, expand, openai, restore, tool, wrapFetch } from "tersely";
import { tersely } from "tersely/ai";

const require = createRequire(import.meta.url);
const ROWS = JSON.stringify(Array.from({ length: 60 }, (_, n) => ({ number: n, state: "open", url: `https://example.com/issues/${n}` })));
const LOG = Array.from({ length: 3000 }, (_, n) => `INFO worker ${n % 7} finished batch ${n}`).join("\n");
const CHAT = [
  { role: "user", content: "Which issues are open?" },
  { role: "assistant", tool_calls: [{ id: "c1", type: "function", function: { name: "issues", arguments: "{}" } }] },
  { role: "tool", tool_call_id: "c1", content: ROWS },
];
const SHAPES = {
  chat: CHAT,
  anthropic: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: ROWS }] }],
  responses: [{ type: "function_call_output", call_id: "c1", output: ROWS }],
  gemini: [{ role: "user", parts: [{ functionResponse: { name: "issues", response: { output: ROWS } } }] }],
};
const TOOLS = [{ type: "function", function: { name: "bash", parameters: {} } }];
/** Without a native part and a program there is nothing to test: then everything stays as it is. */
const skip = compress(ROWS).saving.saved > 0 ? false : "no native part and no program";

test("messages of every shape become smaller and come back", { skip }, async () => {
  for (const [format, messages] of Object.entries(SHAPES)) {
    const small = compress(messages, { model: "gpt-5" });
    assert.ok(small.saving.saved > 500, format);
    assert.deepEqual(restore(small.messages), messages);
    assert.deepEqual(await compressAsync(messages, { model: "gpt-5", format }), small);
  }
});

test("all but tool results are the objects that were given", { skip }, () => {
  const { messages } = compress(CHAT);
  assert.ok(messages[0] === CHAT[0] && messages[1] === CHAT[1] && messages[2] !== CHAT[2]);
});

test("a message keeps its bytes as the conversation grows", { skip }, () => {
  const longer = [...CHAT, { role: "assistant", content: "All." }, { role: "user", content: "Now?" }, ...CHAT.slice(1)];
  const whole = compress(longer).messages;
  for (let count = 1; count < longer.length; count++) {
    assert.deepEqual(compress(longer.slice(0, count)).messages, whole.slice(0, count));
  }
});

test("a text becomes smaller and comes back", { skip }, () => {
  for (const text of [ROWS, LOG, "", "short", "<<<SHADOW:shadow_0>>>", `\ufeff${ROWS}`, "a\r\nb\0\u2028", "half \ud800 pair"]) {
    assert.equal(restore(compress(text, { tool: "bash", loss: "none" }).text), text);
  }
});

test("detail is left out only where it can be fetched", { skip }, () => {
  const messages = [{ role: "tool", tool_call_id: "c1", content: LOG }];
  assert.deepEqual(compress(messages, { tools: TOOLS }).saving.omitted, []);
  const small = compress(messages, { tools: TOOLS, retrieve: true });
  assert.deepEqual(small.tools.map((each) => each.function.name), ["bash", "expand_context"]);
  const [id] = small.saving.omitted;
  assert.equal(expand(messages, id), LOG);
  assert.equal(expand(messages, id, "lines 2-2"), "INFO worker 1 finished batch 1\n");
  assert.match(expand(messages, "shadow_0"), /^Nothing is kept/);
  assert.throws(() => restore(small.messages), DecodeError);
});

test("a wrong argument is named", { skip }, async () => {
  const wrong = { mode: "loud", loss: "all", reader: "huge", format: "acme", frozen: -1, retrieve: "yes", model: 7, redactSecrets: 1, tools: 1, nonsense: 1 };
  for (const [name, value] of Object.entries(wrong)) {
    const named = { name: "TypeError", message: new RegExp(`^${name}: `) };
    assert.throws(() => compress(CHAT, { [name]: value }), named);
    await assert.rejects(compressAsync(CHAT, { [name]: value }), named);
  }
  for (const content of [undefined, null, 7, {}]) assert.throws(() => compress(content), { message: /^content: / });
  assert.throws(() => compress([1]), { message: /^messages: / });
});

test("content never throws", { skip }, () => {
  const circle = {};
  circle.circle = circle;
  for (const message of [circle, { x: 1n }, { role: "tool", content: "a\ud800b" }, { role: 7, content: [[[]]] }, {}]) {
    assert.deepEqual(compress([message]).messages, [message]);
  }
});

test("every form is decoded", { skip }, () => {
  assert.deepEqual(decode(compress(ROWS).text), JSON.parse(ROWS));
  assert.deepEqual(decode("a: 1\nb[2]: 1,2", "toon"), { a: 1, b: [1, 2] });
  assert.throws(() => decode("{", "json"), DecodeError);
});

test("every vector comes back or is rejected", { skip }, () => {
  for (const name of ["layout", "general"]) {
    const { accept, reject } = JSON.parse(readFileSync(new URL(`../../../spec/vectors/${name}.json`, import.meta.url), "utf8"));
    for (const vector of accept) assert.equal(restore(vector.text), vector.original, vector.name);
    for (const vector of reject) assert.throws(() => restore(vector.text), DecodeError, vector.name);
  }
});

test("who observes gets what was given", { skip }, () => {
  const small = compress(CHAT, { observe: true });
  assert.deepEqual(small.messages, CHAT);
  assert.ok(small.saving.saved > 0);
});

test("require gets the same", { skip }, () => {
  const other = require("tersely");
  assert.deepEqual(other.compress(CHAT), compress(CHAT));
  assert.equal(typeof require("tersely/ai").tersely, "function");
});

test("a tool's result is made smaller where it is made", { skip }, async () => {
  const issues = tool(async function issues() { return JSON.parse(ROWS); });
  assert.deepEqual(decode(await issues()), JSON.parse(ROWS));
  assert.deepEqual(await tool(() => ({ a: 1 }))(), { a: 1 });
  const mcp = await tool(() => ({ content: [{ type: "text", text: ROWS }, { type: "image", data: "" }] }))();
  assert.equal(restore(mcp.content[0].text), ROWS);
  assert.deepEqual(mcp.content[1], { type: "image", data: "" });
});

test("the middleware of the AI SDK changes tool results alone", { skip }, async () => {
  const prompt = [
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "text", text: "Which?" }] },
    { role: "assistant", content: [{ type: "tool-call", toolCallId: "c1", toolName: "issues", input: {} }] },
    { role: "tool", content: [
      { type: "tool-result", toolCallId: "c1", toolName: "issues", output: { type: "json", value: JSON.parse(ROWS) } },
      { type: "tool-result", toolCallId: "c2", toolName: "issues", output: { type: "content", value: [{ type: "text", text: LOG }, { type: "media" }] } },
      { type: "tool-result", toolCallId: "c3", toolName: "issues", output: { type: "error-text", value: ROWS } },
    ] },
  ];
  const { prompt: now, temperature } = await tersely().transformParams({ params: { prompt, temperature: 1 }, model: { modelId: "m" }, type: "generate" });
  assert.equal(temperature, 1);
  assert.deepEqual(now.slice(0, 3), prompt.slice(0, 3));
  const [rows, log, error] = now[3].content;
  assert.equal(rows.output.type, "text");
  assert.deepEqual(decode(rows.output.value), JSON.parse(ROWS));
  assert.ok(log.output.value[0].text.length < LOG.length / 2);
  assert.deepEqual(log.output.value[1], { type: "media" });
  assert.deepEqual(error, prompt[3].content[2]);
});

/** A model that asks for what was left out of the first result, then answers. */
async function upstream(streamed) {
  const bodies = [];
  const server = createServer((request, response) => {
    let data = "";
    request.on("data", (more) => (data += more));
    request.on("end", () => {
      const body = JSON.parse(data);
      bodies.push(body);
      const id = /SHADOW:(shadow_[0-9a-f]+)/.exec(data)?.[1];
      const asks = bodies.length === 1 && id !== undefined;
      const call = { index: 0, id: "h1", type: "function", function: { name: "expand_context", arguments: JSON.stringify({ id, part: "lines 2-2" }) } };
      const choice = { index: 0, finish_reason: asks ? "tool_calls" : "stop" };
      const said = asks ? { role: "assistant", content: "Wait. ", tool_calls: [call] } : { role: "assistant", content: "Worker 1." };
      const key = streamed ? "delta" : "message";
      const text = JSON.stringify({ id: "x", choices: [{ ...choice, [key]: said }] });
      response.writeHead(200, { "content-type": streamed ? "text/event-stream" : "application/json" });
      response.end(streamed ? `data: ${text}\n\ndata: [DONE]\n\n` : text);
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { bodies, server, url: `http://127.0.0.1:${server.address().port}/v1/chat/completions` };
}

for (const streamed of [false, true]) {
  test(`fetch answers the hidden tool, ${streamed ? "streamed" : "whole"}`, { skip }, async () => {
    const { bodies, server, url } = await upstream(streamed);
    const messages = [...CHAT.slice(0, 2), { role: "tool", tool_call_id: "c1", content: LOG }];
    const body = JSON.stringify({ model: "gpt-5", stream: streamed, messages, tools: TOOLS });
    const response = await wrapFetch()(url, { method: "POST", headers: { "content-type": "application/json" }, body });
    const text = await response.text();
    server.close();
    assert.equal(response.url, url);
    assert.equal(bodies.length, 2);
    assert.equal(bodies[1].messages.at(-1).content, "INFO worker 1 finished batch 1\n");
    assert.match(text, /Worker 1\./);
    assert.doesNotMatch(text, /expand_context/);
  });
}

test("what is not for a model goes through fetch as it is", { skip }, async () => {
  const sent = [];
  const inner = async (input, init) => (sent.push(init?.body), new Response("{}"));
  await wrapFetch(inner)("https://example.com/v1/files", { method: "POST", body: "x" });
  await wrapFetch(inner)("https://example.com/v1/messages");
  assert.deepEqual([Buffer.from(sent[0]).toString(), sent[1]], ["x", undefined]);
  assert.throws(() => openai({}), { message: /^client: / });
});

test("fetch takes a Request, too", { skip }, async () => {
  const sent = [];
  const inner = async (input, init) => (sent.push({ input, ...init }), new Response("{}"));
  const body = JSON.stringify({ model: "gpt-5", messages: CHAT });
  const headers = { authorization: "Bearer x", "content-type": "application/json" };
  await wrapFetch(inner)(new Request("https://example.com/v1/chat/completions", { method: "POST", headers, body }));
  assert.equal(sent[0].input, "https://example.com/v1/chat/completions");
  assert.equal(sent[0].headers.get("authorization"), "Bearer x");
  assert.deepEqual(restore(JSON.parse(Buffer.from(sent[0].body).toString()).messages), CHAT);
  await assert.rejects(wrapFetch(inner, { mode: "loud" })("https://example.com/v1/messages", { method: "POST", body: "{}" }), { message: /^mode: / });
});
