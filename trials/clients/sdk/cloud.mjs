// Takes tool turns at Bedrock with AWS's own SDK for JavaScript, as cloud.py beside it does: `cloud.mjs URL WAY`, a turn on each line of standard input.

import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const { BedrockRuntimeClient, ConverseCommand, ConverseStreamCommand, InvokeModelCommand, InvokeModelWithResponseStreamCommand } =
  createRequire(`${process.env.NODE_MODULES}/`)("@aws-sdk/client-bedrock-runtime");

const [url, way] = process.argv.slice(2);
const client = new BedrockRuntimeClient({ endpoint: url, region: "us-east-1", maxAttempts: 1 });
const tool = "run_command";
const schema = { type: "object", properties: { command: { type: "string" } } };

// The blocks of a message, its counts and its end, put together from what a stream says.
async function gathered(events) {
  const blocks = [];
  let usage, end;
  for await (const event of events) {
    const { contentBlockStart: start, contentBlockDelta: delta, messageStop: stop, metadata } = event;
    if (start) blocks[start.contentBlockIndex] = { toolUse: { ...start.start.toolUse, input: "" } };
    if (delta) {
      const block = (blocks[delta.contentBlockIndex] ??= { text: "" });
      if (block.toolUse) block.toolUse.input += delta.delta.toolUse.input;
      else block.text += delta.delta.text;
    }
    if (stop) end = stop.stopReason;
    if (metadata) usage = metadata.usage;
  }
  for (const block of blocks) if (block.toolUse) block.toolUse.input = JSON.parse(block.toolUse.input);
  return { blocks, usage, end };
}

async function converse(modelId, streams, messages) {
  const input = { modelId, messages, toolConfig: { tools: [{ toolSpec: { name: tool, inputSchema: { json: schema } } }] } };
  if (streams) return gathered((await client.send(new ConverseStreamCommand(input))).stream);
  const answer = await client.send(new ConverseCommand(input));
  return { blocks: answer.output.message.content, usage: answer.usage, end: answer.stopReason };
}

async function* unwrapped(stream) {
  for await (const part of stream) yield JSON.parse(new TextDecoder().decode(part.chunk.bytes));
}

async function invoke(modelId, streams, messages) {
  const content = messages.map(({ role, content }) => ({ role, content: content.map(toAnthropic) }));
  const body = JSON.stringify({
    anthropic_version: "bedrock-2023-05-31", max_tokens: 100, messages: content, tools: [{ name: tool, input_schema: schema }],
  });
  let blocks = [], usage = {}, end;
  if (streams) {
    for await (const event of unwrapped((await client.send(new InvokeModelWithResponseStreamCommand({ modelId, body }))).body)) {
      if (event.message) usage = { ...event.message.usage };
      if (event.content_block) blocks[event.index] = { ...event.content_block, input: "" };
      if (event.delta?.text !== undefined) blocks[event.index].text += event.delta.text;
      if (event.delta?.partial_json !== undefined) blocks[event.index].input += event.delta.partial_json;
      if (event.type === "message_delta") (usage = { ...usage, ...event.usage }), (end = event.delta.stop_reason);
    }
    for (const block of blocks) if (block.type === "tool_use") block.input = JSON.parse(block.input);
  } else {
    const answer = JSON.parse(new TextDecoder().decode((await client.send(new InvokeModelCommand({ modelId, body }))).body));
    ({ content: blocks, usage, stop_reason: end } = answer);
  }
  return { blocks: blocks.map(fromAnthropic), usage: { inputTokens: usage.input_tokens, outputTokens: usage.output_tokens }, end };
}

function toAnthropic({ text, toolUse, toolResult }) {
  if (toolUse) return { type: "tool_use", id: toolUse.toolUseId, name: toolUse.name, input: toolUse.input };
  if (toolResult) return { type: "tool_result", tool_use_id: toolResult.toolUseId, content: toolResult.content[0].text };
  return { type: "text", text };
}

function fromAnthropic({ type, text, id, name, input }) {
  return type === "tool_use" ? { toolUse: { toolUseId: id, name, input } } : { text };
}

async function turn({ model, streams, result }) {
  const ask = way === "converse" ? converse : invoke;
  const messages = [{ role: "user", content: [{ text: "Look" }] }];
  const first = await ask(model, streams, messages);
  const call = first.blocks.find((block) => block.toolUse).toolUse;
  messages.push({ role: "assistant", content: first.blocks });
  messages.push({ role: "user", content: [{ toolResult: { toolUseId: call.toolUseId, content: [{ text: result }] } }] });
  const { blocks, usage, end } = await ask(model, streams, messages);
  const calls = blocks.filter((block) => block.toolUse).map((block) => block.toolUse.name);
  return { text: blocks.map((block) => block.text ?? "").join(""), calls, usage: [usage.inputTokens, usage.outputTokens], end };
}

for await (const line of createInterface({ input: process.stdin })) {
  const given = JSON.parse(line);
  let heard;
  try {
    heard = await turn(given);
  } catch (fault) {
    if (given.model !== "fails") throw fault;
    heard = { error: fault.name, words: `${fault.message} ${fault.$response?.statusCode ?? ""} ${fault.$metadata?.httpStatusCode ?? ""}` };
  }
  console.log(JSON.stringify(heard));
}
