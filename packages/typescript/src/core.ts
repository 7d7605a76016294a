/** Calls the native part, or the program where there is none. */

import load from "../native/load.cjs";
import type { Core, Exchange, Opened } from "../native/load.cjs";
import { DecodeError } from "./error.js";

export type { Exchange };

/** There is no native part and no program for this platform, or it does not run. */
export class Unavailable extends Error {}

/** A call's answer. */
export interface Answer {
  readonly about: About;
  readonly payload: string;
}

/** What the core says about a result. */
export interface About {
  readonly before: number;
  readonly after: number;
  readonly kind?: string;
  readonly stages?: readonly { readonly stage: string; readonly saved: number }[];
  readonly omitted?: readonly string[];
}

export type Options = Readonly<Record<string, unknown>>;

export function call(operation: string, options: Options, payload: string): Answer {
  try {
    return read(core().call(operation, JSON.stringify(options), payload));
  } catch (error) {
    throw translate(error);
  }
}

export async function callAsync(operation: string, options: Options, payload: string): Promise<Answer> {
  try {
    return read(await core().callAsync(operation, JSON.stringify(options), payload));
  } catch (error) {
    throw translate(error);
  }
}

export async function open(options: Options, body: Uint8Array): Promise<Opened> {
  try {
    return await core().open(JSON.stringify(options), body);
  } catch (error) {
    throw translate(error);
  }
}

function core(): Core {
  const found = load.core();
  if (found === undefined) throw new Unavailable("no native part and no program for this platform");
  return found;
}

function read({ about, payload }: { about: string; payload: string }): Answer {
  return { about: JSON.parse(about) as About, payload };
}

/** The core says the kind of an error before its message. */
function translate(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const [, kind, message] = /^(argument|content|unavailable): (.*)$/s.exec(error.message) ?? [];
  if (kind === "argument") return new TypeError(camel(message ?? ""));
  if (kind === "content") return new DecodeError(1, 1, "a text that was written whole", message ?? "");
  return kind === "unavailable" ? new Unavailable(message) : error;
}

/** The name of an argument as it is here. */
function camel(message: string): string {
  return message.replace(/^[a-z_]+(?=: )/, (name) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()));
}
