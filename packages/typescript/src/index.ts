/** Says tool output in fewer tokens, and reads what Tersely writes, exactly. */

import { restoreMessages } from "./compress.js";
import type { Format } from "./compress.js";
import { call, Unavailable } from "./core.js";
import { DecodeError } from "./error.js";
import * as layout from "./layout.js";
import * as signed from "./signed.js";
import * as stc from "./stc.js";
import * as terse from "./terse.js";
import * as tree from "./tree.js";
import type { Value } from "./tree.js";

export { anthropic, openai } from "./clients.js";
export { compress, compressAsync, expand } from "./compress.js";
export type {
  CompressedMessages,
  CompressedText,
  CompressOptions,
  Format,
  MessageOptions,
  Saving,
  TextOptions,
} from "./compress.js";
export { wrapFetch } from "./fetch.js";
export type { FetchOptions } from "./fetch.js";
export { tool } from "./tool.js";
export { DecodeError, type Value };

/** In the order in which they are tried on a text of unknown form. */
const FORMS = {
  stc: stc.parse,
  terse: terse.parse,
};

/** The name of a form. */
export type Form = keyof typeof FORMS;

/**
 * The ordinary value that `text` stands for; without `form`, in the first form that reads it.
 *
 * Of what `tersely compress` writes, that is every text that `restore` gives back as JSON.
 */
export function decode(text: string, form?: Form | "toon" | "json"): Value {
  if (form === "toon" || form === "json") return decodeByCore(text, form);
  try {
    return tree.toValue(parse(text, form));
  } catch (fault) {
    if (form !== undefined || !(fault instanceof DecodeError)) throw fault;
    try {
      return decodeByCore(text, undefined);
    } catch {
      throw fault;
    }
  }
}

function decodeByCore(text: string, form: string | undefined): Value {
  const { about, payload } = call("decode", { form }, text);
  if (about.kind !== "json") throw new DecodeError(1, 1, "a document in one of the forms", "another text");
  return JSON.parse(payload) as Value;
}

/** The exact compact JSON that `text` stands for: number text and duplicate keys kept. */
export function toJson(text: string, form?: Form): string {
  return tree.toJson(parse(text, form));
}

/**
 * The original of what `compress` made smaller, character for character, except for dropped layout (colors,
 * trailing spaces, table padding); any other text or message as it is.
 *
 * A text from which detail was left out, or that was damaged, throws a DecodeError. A reference to an earlier result
 * needs that result, so give the messages, all of them, rather than one text.
 */
export function restore(text: string): string;
export function restore<M>(messages: readonly M[], format?: Format): M[];
export function restore<M>(content: string | readonly M[], format?: Format): string | M[] {
  if (typeof content !== "string") return restoreMessages(content, format);
  // A half of a surrogate pair would not survive the way there and back.
  if (HALF_PAIR.test(content)) return restoreHere(content);
  try {
    return call("restore", {}, content).payload;
  } catch (error) {
    if (error instanceof Unavailable) return restoreHere(content);
    throw error;
  }
}

const HALF_PAIR = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** Without the native part and the program: the general form, JSON, and JSON in the general form. */
function restoreHere(text: string): string {
  const plain = text.startsWith(BYTE_ORDER) ? text.slice(1) : text;
  const found = signed.read(plain);
  if (found === undefined) {
    signed.checkUnmarked(plain);
    return text;
  }
  const whole = found.layout ? layout.write(found.layout, terse.parse(found.text), found.room) : found.text;
  if (whole === undefined) throw new DecodeError(1, 1, "a text that grows less", "one that grows too much");
  return text.slice(0, text.length - plain.length) + whole;
}

/** Some files begin with it: it stays where it is. */
const BYTE_ORDER = "\ufeff";

function parse(text: string, form: Form | undefined): tree.Node {
  if (form === undefined) {
    const found = signed.read(text);
    // A text that was printed or read from a file has a line end that is not part of it.
    const whole = withoutEnd(found?.text ?? text);
    return found?.layout ? terse.parse(whole) : parseAny(whole);
  }
  if (!Object.hasOwn(FORMS, form)) {
    throw new RangeError(`unknown form '${form}': expected one of ${Object.keys(FORMS).join(", ")}`);
  }
  return FORMS[form](text);
}

function withoutEnd(text: string): string {
  return text.endsWith("\n") ? text.slice(0, -1) : text;
}

function parseAny(text: string): tree.Node {
  let first: DecodeError | undefined;
  for (const read of Object.values(FORMS)) {
    try {
      return read(text);
    } catch (fault) {
      if (!(fault instanceof DecodeError)) throw fault;
      first ??= fault;
    }
  }
  throw first;
}
