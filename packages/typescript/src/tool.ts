/** `tool`: makes a tool's result smaller where it is made. */

import { compressAsync } from "./compress.js";
import type { TextOptions } from "./compress.js";

type AnyFunction = (...args: never[]) => unknown;

/**
 * Wraps a function whose result is for a model: it returns that result in fewer tokens. A text is compressed; an object
 * or an array is written as JSON and compressed, and is returned as it is where nothing is saved; the text blocks of an
 * MCP result (`{ content: [{ type: "text", text }] }`) are compressed in place. Nothing but layout is lost.
 */
export function tool<F extends AnyFunction>(run: F, options: TextOptions = {}): (...args: Parameters<F>) => Promise<Awaited<ReturnType<F>> | string> {
  const named = { tool: run.name, ...options };
  const short = async (...args: Parameters<F>): Promise<unknown> => shorten(await run(...args), named);
  return short as (...args: Parameters<F>) => Promise<Awaited<ReturnType<F>> | string>;
}

async function shorten(result: unknown, options: TextOptions): Promise<unknown> {
  if (typeof result === "string") return (await compressAsync(result, options)).text;
  if (typeof result !== "object" || result === null) return result;
  if (isMcp(result)) {
    const blocks = result.content.map(async (block) =>
      block.type === "text" && typeof block.text === "string"
        ? { ...block, text: (await compressAsync(block.text, options)).text }
        : block,
    );
    return { ...result, content: await Promise.all(blocks) };
  }
  const json = write(result);
  if (json === undefined) return result;
  const { text, saving } = await compressAsync(json, options);
  return saving.saved > 0 ? text : result;
}

function write(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    // A circle, or a BigInt.
    return undefined;
  }
}

interface McpResult {
  readonly content: readonly { readonly type?: unknown; readonly text?: unknown }[];
}

function isMcp(result: object): result is McpResult {
  const { content } = result as { content?: unknown };
  return Array.isArray(content) && content.every((block) => typeof block === "object" && block !== null && "type" in block);
}
