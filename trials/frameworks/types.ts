/** What the types of our package say about the SDKs that it wraps: this file compiles, and that is the test. */

import Anthropic from "@anthropic-ai/sdk";
import { createOpenAI, openai as provider } from "@ai-sdk/openai";
import { wrapLanguageModel } from "ai";
import OpenAI from "openai";
import { anthropic, compress, compressAsync, expand, openai, restore, tool, wrapFetch } from "tersely";
import { tersely } from "tersely/ai";

const gpt: OpenAI = openai(new OpenAI(), { retrieve: false });
const claude: Anthropic = anthropic(new Anthropic());
const model = wrapLanguageModel({ model: provider("gpt-5"), middleware: tersely({ mode: "safe" }) });
const other = createOpenAI({ fetch: wrapFetch() })("gpt-5");

const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "hi" }];
const small: OpenAI.ChatCompletionMessageParam[] = compress(messages, { model: "gpt-5" }).messages;
const saved: number = (await compressAsync("text", { tool: "bash" })).saving.saved;
const back: OpenAI.ChatCompletionMessageParam[] = restore(small);
const text: string = expand(messages, "shadow_0", "lines 1-2");
const short: (path: string) => Promise<string | number[]> = tool(async (path: string) => [path.length]);
// @ts-expect-error -- there is no such mode
compress("text", { mode: "loud" });
export default [gpt, claude, model, other, saved, back, text, short];
