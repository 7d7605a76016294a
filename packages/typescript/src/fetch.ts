/**
 * Compresses what a program sends to models over HTTP, for every SDK that takes a `fetch`.
 *
 * Tool results go out smaller. Where detail was left out, the request offers the model a tool to fetch it back; a call
 * of that tool is answered here, in further rounds, and the caller sees one response, whole or streamed, without it. A
 * request that is not for a model, or that cannot be read, goes out as it is.
 */

import { snake } from "./compress.js";
import type { CompressOptions } from "./compress.js";
import { open, Unavailable } from "./core.js";
import type { Exchange } from "./core.js";

export interface FetchOptions extends CompressOptions {
  /** False leaves nothing out, and offers no tool. */
  readonly retrieve?: boolean | undefined;
}

let owners = 0;

type Fetch = (input: any, init?: any) => Promise<any>;

/** A `fetch` that compresses, around another one. */
export function wrapFetch<F extends Fetch = typeof globalThis.fetch>(inner?: F, options: FetchOptions = {}): F {
  const send: Fetch = inner ?? globalThis.fetch.bind(globalThis);
  // What was left out of a conversation that the provider stores is shown to this one alone.
  const settings = { retrieve: true, owner: String((owners += 1)), ...snake(options) };
  const wrapped = async (input: unknown, init?: RequestInit): Promise<Response> => {
    const asked = await readRequest(input, init);
    if (asked === undefined) return send(input, init) as Promise<Response>;
    const opened = await openOr(asked.body, { ...settings, path: asked.path });
    const again = (next: Uint8Array): Promise<Response> => send(asked.url, withBody(asked.init, next)) as Promise<Response>;
    const response = await again(opened.body);
    if (!opened.exchange || response.status !== 200 || response.body === null) return response;
    await opened.exchange.begin(response.headers.get("content-type") ?? "");
    return watched(response, opened.exchange, again);
  };
  return wrapped as unknown as F;
}

async function openOr(body: Uint8Array, options: Readonly<Record<string, unknown>>) {
  try {
    return await open(options, body);
  } catch (error) {
    if (error instanceof Unavailable) return { body, exchange: undefined };
    throw error;
  }
}

interface Asked {
  readonly url: unknown;
  readonly path: string;
  readonly init: RequestInit;
  readonly body: Uint8Array;
}

/** A request whose body can be read; undefined for any other, which goes out as it is. */
async function readRequest(input: unknown, init: RequestInit = {}): Promise<Asked | undefined> {
  const request = input instanceof Request && init.body === undefined ? input : undefined;
  if ((init.method ?? request?.method ?? "GET").toUpperCase() !== "POST") return undefined;
  const address = input instanceof Request ? input.url : String(input);
  const path = pathOf(address);
  if (request === undefined) {
    const body = readBody(init.body);
    return body && { url: input, path, init, body };
  }
  const { method, headers, signal, credentials, redirect } = request;
  const body = new Uint8Array(await request.clone().arrayBuffer());
  return { url: address, path, init: { method, headers, signal, credentials, redirect, ...init }, body };
}

/** The path and query of an address; none if it is not one. */
function pathOf(address: string): string {
  try {
    const { pathname, search } = new URL(address);
    return pathname + search;
  } catch {
    return "";
  }
}

function readBody(body: unknown): Uint8Array | undefined {
  if (typeof body === "string") return new TextEncoder().encode(body);
  return body instanceof Uint8Array ? body : undefined;
}

function withBody(init: RequestInit | undefined, body: Uint8Array): RequestInit {
  const headers = new Headers(init?.headers);
  // It is counted anew.
  headers.delete("content-length");
  return { ...init, headers, body: body as BodyInit };
}

/** The response as the caller gets it. */
function watched(response: Response, exchange: Exchange, again: (body: Uint8Array) => Promise<Response>): Response {
  const headers = new Headers(response.headers);
  for (const name of ["content-length", "content-encoding"]) headers.delete(name);
  const chunks = rounds(response, exchange, again);
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await chunks.return(undefined);
    },
  });
  const { status, statusText, url } = response;
  return Object.defineProperty(new Response(stream, { status, statusText, headers }), "url", { value: url });
}

async function* rounds(
  response: Response,
  exchange: Exchange,
  again: (body: Uint8Array) => Promise<Response>,
): AsyncGenerator<Uint8Array, undefined> {
  for (;;) {
    const reader = response.body?.getReader();
    try {
      for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
        const out = await exchange.see(read.value);
        if (out.length > 0) yield out;
      }
    } finally {
      await reader?.cancel();
    }
    const { out, send } = await exchange.end();
    if (out.length > 0) yield out;
    if (!send) return undefined;
    response = await again(send);
    if (response.status !== 200) {
      yield await exchange.fail(response.status, await response.text());
      return undefined;
    }
  }
}
