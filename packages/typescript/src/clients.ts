/** Wraps the clients of OpenAI's and Anthropic's SDKs: they send smaller tool results, and are otherwise as they were. */

import { wrapFetch } from "./fetch.js";
import type { FetchOptions } from "./fetch.js";

interface Client {
  withOptions(options: { fetch?: any }): any;
}

/**
 * A copy of an OpenAI client that compresses tool results, in Chat Completions and Responses. Detail may be left out:
 * the model can fetch it back, with a tool that is offered and answered here. `retrieve: false` leaves nothing out.
 */
export function openai<C extends Client>(client: C, options: FetchOptions = {}): C {
  return wrap(client, options);
}

/** A copy of an Anthropic client that compresses tool results. The options are as of `openai`. */
export function anthropic<C extends Client>(client: C, options: FetchOptions = {}): C {
  return wrap(client, options);
}

function wrap<C extends Client>(client: C, options: FetchOptions): C {
  if (typeof client?.withOptions !== "function") {
    throw new TypeError("client: must be a client of OpenAI's or Anthropic's SDK");
  }
  const { fetch } = client as unknown as { fetch?: typeof globalThis.fetch };
  return client.withOptions({ fetch: wrapFetch(fetch, options) }) as C;
}
