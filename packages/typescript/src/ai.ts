/**
 * Middleware for Vercel's AI SDK: `wrapLanguageModel({ model, middleware: tersely() })`.
 *
 * Makes the tool results of a prompt smaller, for any provider. Nothing is left out here; where you want that, give the
 * provider `fetch: wrapFetch()`, which answers the model when it asks for what was left out.
 */

import { compressAsync } from "./compress.js";
import type { CompressOptions } from "./compress.js";

/** The middleware, for the versions of the SDK that name their models `v2`, `v3` and `v4`. */
export interface TerselyMiddleware {
  readonly specificationVersion: any;
  readonly transformParams: (options: { params: any; model: any; type: any }) => Promise<any>;
}

export function tersely(options: CompressOptions = {}): TerselyMiddleware {
  return {
    specificationVersion: "v3",
    transformParams: async ({ params, model }) => {
      const { modelId } = model as { modelId?: string };
      return { ...params, prompt: await shorten(params.prompt as readonly Message[], { model: modelId, ...options }) };
    },
  };
}

interface Message {
  readonly role: string;
  readonly content: unknown;
}

interface Part {
  readonly type: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly input?: unknown;
  readonly output?: Output;
}

interface Output {
  readonly type: string;
  readonly value?: unknown;
}

/** A message of Chat Completions that stands for a part of the prompt: a call, or one text of a result. */
interface ChatMessage {
  readonly role: string;
  readonly content?: string | undefined;
  readonly tool_call_id?: string | undefined;
  readonly tool_calls?: readonly unknown[];
}

async function shorten(prompt: readonly Message[], options: CompressOptions): Promise<Message[]> {
  const chat = prompt.flatMap(({ role, content }) => parts(content).flatMap((part) => chatMessages(role, part)));
  const { messages } = await compressAsync(chat, { ...options, format: "chat" });
  let place = 0;
  const next = (part: Part, role: string): ChatMessage[] => {
    const count = chatMessages(role, part).length;
    place += count;
    return messages.slice(place - count, place);
  };
  return prompt.map((message) => {
    if (!Array.isArray(message.content)) return message;
    const content = parts(message.content).map((part) => rewrite(part, next(part, message.role)));
    return message.role === "tool" ? { ...message, content } : message;
  });
}

function parts(content: unknown): readonly Part[] {
  return Array.isArray(content) ? (content as readonly Part[]) : [];
}

function chatMessages(role: string, part: Part): ChatMessage[] {
  if (part.type === "tool-call") {
    const called = { name: part.toolName, arguments: JSON.stringify(part.input ?? {}) };
    return [{ role: "assistant", tool_calls: [{ id: part.toolCallId, type: "function", function: called }] }];
  }
  if (role !== "tool" || part.type !== "tool-result" || part.output === undefined) return [];
  return texts(part.output).map((content) => ({ role: "tool", tool_call_id: part.toolCallId, content }));
}

/** The texts of a result. Errors stay as they are. */
function texts({ type, value }: Output): string[] {
  if (type === "text") return [String(value)];
  if (type === "json") return [JSON.stringify(value)];
  if (type !== "content" || !Array.isArray(value)) return [];
  return value.filter(isText).map((block) => block.text);
}

function isText(block: unknown): block is { type: "text"; text: string } {
  return (block as { type?: unknown }).type === "text";
}

function rewrite(part: Part, now: readonly ChatMessage[]): Part {
  const output = part.output;
  if (output === undefined || now.length === 0 || part.type !== "tool-result") return part;
  const short = now.map((message) => message.content ?? "");
  if (short.every((text, at) => text === texts(output)[at])) return part;
  if (output.type !== "content") return { ...part, output: { ...output, type: "text", value: short[0] } };
  let at = 0;
  const value = (output.value as unknown[]).map((block) => (isText(block) ? { ...block, text: short[at++] } : block));
  return { ...part, output: { ...output, value } };
}
