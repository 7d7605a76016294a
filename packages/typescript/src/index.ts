/** Reads what Tersely writes, exactly. */

import { DecodeError } from "./error.js";
import * as layout from "./layout.js";
import * as signed from "./signed.js";
import * as stc from "./stc.js";
import * as terse from "./terse.js";
import * as tree from "./tree.js";
import type { Value } from "./tree.js";

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
export function decode(text: string, form?: Form): Value {
  return tree.toValue(parse(text, form));
}

/** The exact compact JSON that `text` stands for: number text and duplicate keys kept. */
export function toJson(text: string, form?: Form): string {
  return tree.toJson(parse(text, form));
}

/**
 * The text that `tersely compress` wrote as `text`, character for character; any other text as it is.
 *
 * It reads the general form, JSON, and JSON in the general form. Of other forms the fault names the program, which
 * reads them all.
 */
export function restore(text: string): string {
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
