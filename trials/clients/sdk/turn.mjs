// One tool turn with an SDK for JavaScript: URL, and anthropic, chat or responses. NODE_MODULES says where the SDKs are.

import { execSync } from 'node:child_process';
import { createRequire } from 'node:module';

const [url, shape] = process.argv.slice(2);
const require = createRequire(`${process.env.NODE_MODULES}/`);
const parameters = { type: 'object', properties: { command: { type: 'string' } } };
const tool = { name: 'list_items', description: 'Lists items' };
const question = { role: 'user', content: 'How many items are there?' };
const say = (text) => process.stdout.write(text ?? '');
const run = (given) => execSync(given.command, { encoding: 'utf8' });

async function anthropic() {
  const { default: Anthropic } = require('@anthropic-ai/sdk');
  const client = new Anthropic({ baseURL: url, apiKey: 'none', maxRetries: 0 });
  const messages = [question];
  for (;;) {
    const tools = [{ ...tool, input_schema: parameters }];
    const stream = client.messages.stream({ model: 'test-model', max_tokens: 100, tools, messages });
    stream.on('text', say);
    const answer = await stream.finalMessage();
    const call = answer.content.find((block) => block.type === 'tool_use');
    if (!call) return;
    const content = [{ type: 'tool_result', tool_use_id: call.id, content: run(call.input) }];
    messages.push({ role: 'assistant', content: answer.content }, { role: 'user', content });
  }
}

function openai() {
  const { default: OpenAI } = require('openai');
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 });
}

async function chat() {
  const client = openai();
  const messages = [question];
  for (;;) {
    const tools = [{ type: 'function', function: { ...tool, parameters } }];
    const stream = await client.chat.completions.create({ model: 'test-model', messages, tools, stream: true });
    let call;
    for await (const { choices } of stream) {
      say(choices[0]?.delta.content);
      call ??= choices[0]?.delta.tool_calls?.[0];
    }
    if (!call) return;
    const { id, type, function: given } = call;
    messages.push({ role: 'assistant', content: null, tool_calls: [{ id, type, function: given }] });
    messages.push({ role: 'tool', tool_call_id: id, content: run(JSON.parse(given.arguments)) });
  }
}

async function responses() {
  const client = openai();
  const input = [question];
  for (;;) {
    const tools = [{ type: 'function', ...tool, parameters }];
    const stream = await client.responses.create({ model: 'test-model', input, tools, stream: true });
    let call;
    for await (const event of stream) {
      if (event.type === 'response.output_text.delta') say(event.delta);
      if (event.type === 'response.output_item.done' && event.item.type === 'function_call') call = event.item;
    }
    if (!call) return;
    input.push(call, { type: 'function_call_output', call_id: call.call_id, output: run(JSON.parse(call.arguments)) });
  }
}

await { anthropic, chat, responses }[shape]();
