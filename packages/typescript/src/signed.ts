/** Takes texts apart that `tersely compress` signed: the last line says which form is above it. */

import { DecodeError } from "./error.js";
import * as general from "./general.js";
import * as layout from "./layout.js";
import { utf8Length } from "./scan.js";

/** What ended with a line end still does, behind its last line. */
const SIGNED = /^\n\[layout([0-9]+) (.*)\](\n?)$/s;
/** Where a text says that it is not all there, or plays that: only the program knows which. */
const MARK = /<<<(?:SHADOW|TEXT[0-9]+):/;
const PROGRAM = "the program reads every other: tersely decode";
const STAGES = ["general", "general json", "json", "text"];

/** What a signed text holds. */
export interface Unsigned {
  /** The original, or the terse form of the JSON document that it is. */
  readonly text: string;
  /** How that document was laid out. */
  readonly layout: layout.Layout | undefined;
  /** The bytes that the original may have. */
  readonly room: number;
}

/** What a signed text holds; none if the text is not signed. */
export function read(text: string): Unsigned | undefined {
  const last = text.length < 2 ? -1 : text.lastIndexOf("\n", text.length - 2);
  const [, version, words = "", end = ""] = SIGNED.exec(text.slice(Math.max(last, 0))) ?? [];
  if (version === undefined) return undefined;
  checkUnmarked(text);
  const place = text.length - end.length - 1 - words.length;
  const colon = words.indexOf(": ");
  const [stage, note] = colon < 0 ? [words, ""] : [words.slice(0, colon), words.slice(colon + 2)];
  if (version !== "1" || !STAGES.includes(stage)) {
    throw fault(text, place, `general, general json, json or text (${PROGRAM})`, stage);
  }
  const room = utf8Length(text) * general.GROWTH;
  const isJson = stage.endsWith("json");
  const laid = isJson ? layout.read(note) : undefined;
  if (laid === undefined && (isJson || (note !== "" && stage !== "general"))) {
    throw fault(text, place, "a layout that is written", words);
  }
  const body = text.slice(0, last) + end;
  if (stage === "general" && note !== "") {
    return { text: general.restorePieces(body, note, room), layout: undefined, room };
  }
  return { text: stage.startsWith("general") ? general.restore(body, room) : body, layout: laid, room };
}

/** Fails on a text that names an original, or plays that. */
export function checkUnmarked(text: string): void {
  const mark = MARK.exec(text);
  if (mark) throw fault(text, mark.index, `a text without such marks (${PROGRAM})`, mark[0]);
}

function fault(text: string, place: number, expected: string, found: string): DecodeError {
  const { line, column } = DecodeError.at(text, place, expected);
  return new DecodeError(line, column, expected, `'${found}'`);
}
