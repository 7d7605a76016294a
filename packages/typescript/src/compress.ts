/** `compress`: a text or the messages of a conversation in fewer tokens, as a pure function. */

import { call, callAsync, Unavailable } from "./core.js";
import type { About, Answer, Options } from "./core.js";

/** What was saved, in tokens of `o200k_base`. */
export interface Saving {
  /** Tokens of the tool results as they came. */
  readonly before: number;
  /** Tokens of the tool results as they are now. */
  readonly after: number;
  readonly saved: number;
  /** How many tokens each stage saved. */
  readonly stages: Readonly<Record<string, number>>;
  /** The ids of the texts that were left out, for `expand`. */
  readonly omitted: readonly string[];
}

/** What both kinds of content take. */
export interface CompressOptions {
  /** The model that reads it. */
  readonly model?: string | undefined;
  readonly mode?: "disabled" | "safe" | "standard" | "aggressive" | undefined;
  /** What may be lost; by default layout, and detail only with `retrieve`. */
  readonly loss?: "none" | "form" | "detail" | undefined;
  readonly reader?: "auto" | "strong" | "small" | undefined;
  readonly redactSecrets?: boolean | undefined;
  /** Changes nothing, and says what would have been saved. */
  readonly observe?: boolean | undefined;
}

export interface TextOptions extends CompressOptions {
  /** The name of the tool that printed the text. */
  readonly tool?: string | undefined;
  /** The command line that the tool ran. */
  readonly command?: string | undefined;
}

export type Format = "openai" | "chat" | "anthropic" | "responses" | "gemini";

export interface MessageOptions extends CompressOptions {
  readonly tools?: readonly unknown[] | undefined;
  /** The API whose messages these are; by default, their shape says it. */
  readonly format?: Format | undefined;
  /** Detail may be left out: send the `tools` of the result, and answer calls of `expand_context` with `expand`. */
  readonly retrieve?: boolean | undefined;
  /** The number of messages at the start that stay unchanged. */
  readonly frozen?: number | undefined;
}

export interface CompressedText {
  readonly text: string;
  readonly saving: Saving;
}

export interface CompressedMessages<M> {
  /** The messages; those that did not change are the objects that were given. */
  readonly messages: M[];
  /** The tools to send. */
  readonly tools: readonly unknown[] | undefined;
  readonly saving: Saving;
}

/**
 * A tool's output, or the messages of a conversation, in fewer tokens; unchanged where nothing is saved.
 *
 * Messages may have the shape of OpenAI's Chat Completions or Responses, Anthropic's Messages or Gemini. Only their tool
 * results change, and a message keeps its bytes as the conversation grows. A wrong argument throws a TypeError that
 * names it. Content never throws: what cannot be read comes back as it is.
 */
export function compress(text: string, options?: TextOptions): CompressedText;
export function compress<M>(messages: readonly M[], options?: MessageOptions): CompressedMessages<M>;
export function compress<M>(content: string | readonly M[], options?: TextOptions | MessageOptions): CompressedText | CompressedMessages<M> {
  const job = prepare(content, options ?? {});
  if (job.payload === undefined) return job.finish(undefined);
  try {
    return job.finish(call(job.operation, job.options, job.payload));
  } catch (error) {
    return job.finish(undefined, error);
  }
}

/** As `compress`, on another thread. */
export function compressAsync(text: string, options?: TextOptions): Promise<CompressedText>;
export function compressAsync<M>(messages: readonly M[], options?: MessageOptions): Promise<CompressedMessages<M>>;
export async function compressAsync<M>(
  content: string | readonly M[],
  options?: TextOptions | MessageOptions,
): Promise<CompressedText | CompressedMessages<M>> {
  const job = prepare(content, options ?? {});
  if (job.payload === undefined) return job.finish(undefined);
  try {
    return job.finish(await callAsync(job.operation, job.options, job.payload));
  } catch (error) {
    return job.finish(undefined, error);
  }
}

/**
 * What was left out of messages under an id, or a part of it: "lines 10-40", a word to search for, a path. Give the
 * messages and options that `compress` was given. The answer is meant for the model: where there is nothing under the
 * id, it says so.
 */
export function expand(messages: readonly unknown[], id: string, part?: string, options: MessageOptions = {}): string {
  if (typeof id !== "string") throw new TypeError("id: must be a string");
  const { model, tools, ...rest } = options;
  return call("expand", { ...snake(rest), id, part }, question(messages, model, tools)).payload;
}

/** The messages as they were before `compress`. */
export function restoreMessages<M>(messages: readonly M[], format?: Format): M[] {
  const { payload } = call("restore_messages", { format }, question(messages, undefined, undefined));
  return merge(messages, (JSON.parse(payload) as { messages: (M | null)[] }).messages);
}

interface Job<R> {
  readonly operation: string;
  readonly options: Options;
  /** Undefined if the content cannot be handed over: then it stays as it is. */
  readonly payload: string | undefined;
  finish(answer: Answer | undefined, error?: unknown): R;
}

function prepare<M>(content: string | readonly M[], options: TextOptions | MessageOptions): Job<CompressedText | CompressedMessages<M>> {
  if (typeof content === "string") return textJob(content, options);
  if (Array.isArray(content)) return messageJob(content as readonly M[], options);
  throw new TypeError("content: must be a string or an array of messages");
}

function textJob(text: string, options: TextOptions): Job<CompressedText> {
  return {
    operation: "text",
    options: snake(options),
    payload: HALF_PAIR.test(text) ? undefined : text,
    finish: (answer, error) => {
      check(error);
      return { text: answer?.payload ?? text, saving: saving(answer?.about) };
    },
  };
}

function messageJob<M>(messages: readonly M[], { model, tools, ...rest }: MessageOptions): Job<CompressedMessages<M>> {
  return {
    operation: "messages",
    options: snake(rest),
    payload: tryQuestion(messages, model, tools),
    finish: (answer, error) => {
      check(error);
      if (answer === undefined) return { messages: [...messages], tools, saving: saving(undefined) };
      const now = JSON.parse(answer.payload) as { messages: (M | null)[]; tools?: unknown[] };
      return { messages: merge(messages, now.messages), tools: now.tools ?? tools, saving: saving(answer.about) };
    },
  };
}

/** Throws what is the caller's fault; where there is no core, content stays as it is. */
function check(error: unknown): void {
  if (error !== undefined && !(error instanceof Unavailable)) throw error;
}

function tryQuestion(messages: readonly unknown[], model: unknown, tools: unknown): string | undefined {
  if (model !== undefined && typeof model !== "string") throw new TypeError("model: must be a string");
  if (tools !== undefined && !Array.isArray(tools)) throw new TypeError("tools: must be an array");
  if (messages.some((message) => typeof message !== "object" || message === null)) {
    throw new TypeError("messages: must be an array of objects");
  }
  try {
    return question(messages, model, tools);
  } catch {
    // A circle, or a BigInt.
    return undefined;
  }
}

function question(messages: readonly unknown[], model: unknown, tools: unknown): string {
  return JSON.stringify({ messages, model, tools });
}

/** The caller's own objects, where no tool result changed: only where one did, there is a new one. */
function merge<M>(messages: readonly M[], now: readonly (M | null)[]): M[] {
  return messages.map((message, at) => now[at] ?? message);
}

function saving(about: About | undefined): Saving {
  const { before = 0, after = 0, stages = [], omitted = [] } = about ?? {};
  return {
    before,
    after,
    saved: before - after,
    stages: Object.fromEntries(stages.map(({ stage, saved }) => [stage, saved])),
    omitted,
  };
}

/** Options as the core names them. */
export function snake(options: object): Options {
  const renamed = Object.entries(options).map(([name, value]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]);
  return Object.fromEntries(renamed) as Options;
}

const HALF_PAIR = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
