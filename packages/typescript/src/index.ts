/** Reads the dense forms of JSON that Tersely writes, exactly. */

import { DecodeError } from "./error.js";
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
 * Of what `tersely compress` writes, that is JSON (with `[layout1 json …]` or nothing below it) and JSON lines.
 */
export function decode(text: string, form?: Form): Value {
  return tree.toValue(parse(text, form));
}

/** The exact compact JSON that `text` stands for: number text and duplicate keys kept. */
export function toJson(text: string, form?: Form): string {
  return tree.toJson(parse(text, form));
}

function parse(text: string, form: Form | undefined): tree.Node {
  if (form === undefined) {
    // A text that was printed or read from a file has a line end that is not part of it.
    const whole = text.endsWith("\n") ? text.slice(0, -1) : text;
    return signed.isSigned(whole) ? signed.parse(whole) : parseAny(whole);
  }
  if (!Object.hasOwn(FORMS, form)) {
    throw new RangeError(`unknown form '${form}': expected one of ${Object.keys(FORMS).join(", ")}`);
  }
  return FORMS[form](text);
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
