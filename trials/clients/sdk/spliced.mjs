// Sends requests with an SDK for JavaScript, and prints what it made of each response: URL, shape, and requests as JSON lines on stdin.
// The lines are those of spliced.py. NODE_MODULES says where the SDKs are.

import assert from 'node:assert';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

const [url, shape] = process.argv.slice(2);
const require = createRequire(`${process.env.NODE_MODULES}/`);

async function anthropic(streams, request) {
  const { default: Anthropic } = require('@anthropic-ai/sdk');
  const client = new Anthropic({ baseURL: url, apiKey: 'none', maxRetries: 0 });
  let heard = '';
  const answer = streams
    ? await client.messages.stream(request).on('text', (text) => (heard += text)).finalMessage()
    : await client.messages.create(request);
  const text = answer.content.map((block) => block.text ?? '').join('');
  assert(!streams || heard === text);
  const calls = answer.content.filter((block) => block.type === 'tool_use').map((block) => block.name);
  return { text, calls, usage: [answer.usage.input_tokens, answer.usage.output_tokens], end: answer.stop_reason };
}

function openai() {
  const { default: OpenAI } = require('openai');
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 });
}

async function chat(streams, request) {
  const { completions } = openai().chat;
  let heard = '';
  const asked = { ...request, stream_options: { include_usage: true } };
  const answer = streams
    ? await completions.stream(asked).on('content', (text) => (heard += text)).finalChatCompletion()
    : await completions.create(request);
  const [{ message, finish_reason: end }] = answer.choices;
  assert(!streams || heard === (message.content ?? ''));
  const calls = (message.tool_calls ?? []).map((call) => call.function.name);
  return { text: message.content ?? '', calls, usage: [answer.usage.prompt_tokens, answer.usage.completion_tokens], end };
}

async function responses(streams, request) {
  const client = openai().responses;
  let heard = '';
  const answer = streams
    ? await client.stream(request).on('response.output_text.delta', (event) => (heard += event.delta)).finalResponse()
    : await client.create(request);
  if (answer.status === 'failed') throw new Error(answer.error.message);
  const parts = answer.output.flatMap((item) => item.content ?? []);
  const text = parts.map((part) => part.text ?? '').join('');
  assert(!streams || heard === text);
  const calls = answer.output.filter((item) => item.type === 'function_call').map((item) => item.name);
  return { text, calls, usage: [answer.usage.input_tokens, answer.usage.output_tokens], end: answer.status };
}

async function answered(streams, request) {
  try {
    return await { anthropic, chat, responses }[shape](streams, request);
  } catch (fault) {
    if (request.model !== 'fails') throw fault;
    return { error: fault.constructor.name, words: fault.message };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { streams, request } = JSON.parse(line);
  delete request.stream;
  delete request.stream_options;
  console.log(JSON.stringify(await answered(streams, request)));
}
