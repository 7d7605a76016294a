/** Reads what `tersely compress` makes of JSON: the terse form, above a line that says how the JSON was laid out. */

import { DecodeError } from "./error.js";
import * as terse from "./terse.js";
import type { Node } from "./tree.js";

const OPEN = "\n[layout1 ";
/** Where a text says that it is not all there, or plays that: only the program knows which. */
const MARK = /<<<(?:SHADOW|TEXT[0-9]+):/;
const PROGRAM = "the program reads every other: tersely decode";

/** True when the last line is ours. */
export function isSigned(text: string): boolean {
  return text.startsWith(OPEN, text.lastIndexOf("\n")) && text.endsWith("]");
}

/** The value that a signed text stands for: white space and escapes, of which the line tells, are no part of it. */
export function parse(text: string): Node {
  const end = text.lastIndexOf("\n");
  const [stage = ""] = text.slice(end + OPEN.length, -1).split(": ", 1);
  if (stage !== "json" && stage !== "json lines") {
    throw fault(text, end + OPEN.length, `json or json lines (${PROGRAM})`, stage);
  }
  const mark = MARK.exec(text);
  if (mark) throw fault(text, mark.index, `a text without such marks (${PROGRAM})`, mark[0]);
  const node = terse.parse(text.slice(0, end));
  if (stage === "json lines" && !isArray(node)) {
    throw fault(text, 0, "a list of documents", text.split("\n", 1)[0] ?? "");
  }
  return node;
}

function isArray(node: Node): boolean {
  return node !== null && typeof node === "object" && node.kind === "array";
}

function fault(text: string, place: number, expected: string, found: string): DecodeError {
  const { line, column } = DecodeError.at(text, place, expected);
  return new DecodeError(line, column, expected, `'${found}'`);
}
