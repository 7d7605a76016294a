/** Runs one tool loop with an SDK of npm: `node scenarios.mjs NAME URL on|off streamed|whole`. Prints all that it showed. */

import process from "node:process";
import Anthropic from "@anthropic-ai/sdk";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, stepCountIs, streamText, tool, wrapLanguageModel } from "ai";
import OpenAI from "openai";
import * as tersely from "tersely";
import { tersely as middleware } from "tersely/ai";

const [, , name, url, on, how] = process.argv;
const streamed = how === "streamed";
const LOG = Array.from({ length: 3000 }, (_, n) => `INFO worker ${n % 7} finished batch ${n}`).join("\n");
const QUESTION = "Who finished batch 1?";
const SCHEMA = { type: "object", properties: { day: { type: "string" } }, required: ["day"] };
const [GPT, CLAUDE, TOOL] = ["gpt-5", "claude-sonnet-4-5", "read_logs"];
const shown = [];

async function openaiChat() {
  const plain = new OpenAI({ apiKey: "sk-test", baseURL: `${url}/v1`, maxRetries: 0 });
  const client = on === "on" ? tersely.openai(plain) : plain;
  const tools = [{ type: "function", function: { name: TOOL, parameters: SCHEMA } }];
  const messages = [{ role: "user", content: QUESTION }];
  for (let turn = 0; turn < 3; turn++) {
    let message;
    if (streamed) {
      const stream = client.chat.completions.stream({ model: GPT, messages, tools });
      for await (const chunk of stream) shown.push(chunk);
      message = (await stream.finalChatCompletion()).choices[0].message;
    } else {
      message = (await client.chat.completions.create({ model: GPT, messages, tools })).choices[0].message;
    }
    shown.push(message);
    if (!message.tool_calls?.length) return;
    messages.push({ role: "assistant", content: message.content, tool_calls: message.tool_calls });
    messages.push(...message.tool_calls.map((call) => ({ role: "tool", tool_call_id: call.id, content: LOG })));
  }
}

async function openaiResponses() {
  const plain = new OpenAI({ apiKey: "sk-test", baseURL: `${url}/v1`, maxRetries: 0 });
  const client = on === "on" ? tersely.openai(plain) : plain;
  const tools = [{ type: "function", name: TOOL, parameters: SCHEMA, strict: false }];
  const input = [{ role: "user", content: QUESTION }];
  for (let turn = 0; turn < 3; turn++) {
    const asked = { model: GPT, input, tools, store: false };
    let response;
    if (streamed) {
      const stream = client.responses.stream(asked);
      for await (const event of stream) shown.push(event);
      response = await stream.finalResponse();
    } else {
      response = await client.responses.create(asked);
    }
    shown.push(response);
    const calls = response.output.filter((item) => item.type === "function_call");
    if (calls.length === 0) return;
    input.push(...calls.map(({ call_id, name, arguments: given, type }) => ({ type, call_id, name, arguments: given })));
    input.push(...calls.map(({ call_id }) => ({ type: "function_call_output", call_id, output: LOG })));
  }
}

async function anthropic() {
  const plain = new Anthropic({ apiKey: "sk-test", baseURL: url, maxRetries: 0 });
  const client = on === "on" ? tersely.anthropic(plain) : plain;
  const messages = [{ role: "user", content: QUESTION }];
  const asked = { model: CLAUDE, max_tokens: 100, messages, tools: [{ name: TOOL, input_schema: SCHEMA }] };
  for (let turn = 0; turn < 3; turn++) {
    let message;
    if (streamed) {
      const stream = client.messages.stream(asked);
      for await (const event of stream) shown.push(event);
      message = await stream.finalMessage();
    } else {
      message = await client.messages.create(asked);
    }
    shown.push(message);
    const calls = message.content.filter((block) => block.type === "tool_use");
    if (calls.length === 0) return;
    messages.push({ role: "assistant", content: message.content });
    messages.push({ role: "user", content: calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: LOG })) });
  }
}

async function ai(door, provider) {
  const settings = { apiKey: "sk-test", baseURL: `${url}/v1`, ...(on === "on" && door === "fetch" ? { fetch: tersely.wrapFetch() } : {}) };
  const base = provider === "openai" ? createOpenAI(settings).chat(GPT) : createAnthropic(settings)(CLAUDE);
  const model = on === "on" && door === "middleware" ? wrapLanguageModel({ model: base, middleware: middleware() }) : base;
  const tools = { [TOOL]: tool({ description: "Reads logs", inputSchema: jsonSchema(SCHEMA), execute: async () => LOG }) };
  const asked = { model, tools, prompt: QUESTION, stopWhen: stepCountIs(3), maxRetries: 0 };
  if (!streamed) {
    const done = await generateText(asked);
    shown.push(done.steps.map((step) => step.content), done.text);
    return;
  }
  const done = streamText({ ...asked, onError: ({ error }) => { throw error; } });
  for await (const part of done.fullStream) shown.push(part);
  shown.push(await done.text);
}

const SCENARIOS = {
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  anthropic,
  "ai-middleware-openai": () => ai("middleware", "openai"),
  "ai-middleware-anthropic": () => ai("middleware", "anthropic"),
  "ai-fetch-openai": () => ai("fetch", "openai"),
  "ai-fetch-anthropic": () => ai("fetch", "anthropic"),
};

await SCENARIOS[name]();
console.log(shown.map((each) => JSON.stringify(each, (key, value) => (key === "request" ? undefined : value))).join("\n"));
