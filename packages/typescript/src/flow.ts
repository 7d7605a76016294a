/** Reads a value on one line: JSON whose keys and strings stand bare where nothing is lost by it. */

import { Scan, numberEnd } from "./scan.js";
import type { ArrayNode, Node, ObjectNode } from "./tree.js";

/** How many records a list has, and how they are laid out: `12 rows`. */
export const INTRO = /^([1-9][0-9]{0,8}) (rows|records|keyed rows|keyed records|items)$/;

/** A terminal or a library may take some of these for a line's end, or drop them. */
const NEVER_BARE = /[\\\x7f-\xa0\u2028\u2029\ufeff]/;

/** A template's field. A step has no slashes, which URL templates put in braces. */
const FIELD = /\{([A-Za-z0-9_$@+-]+(?:\.[A-Za-z0-9_$@+-]+)*)\}/;

/** One value that nests at most `levels` deep. */
export function value(scan: Scan, levels: number): Node {
  const first = scan.peek();
  if (first === '"') return scan.string();
  if (first !== "{" && first !== "[") return bare(scan);
  if (levels === 0) scan.fail("fewer levels");
  return first === "{" ? object(scan, levels) : array(scan, levels);
}

function array(scan: Scan, levels: number): ArrayNode {
  const items: Node[] = [];
  scan.eat("[");
  while (!scan.eat("]")) {
    if (items.length > 0 && !scan.eat(",")) scan.fail("',' or ']'");
    items.push(value(scan, levels - 1));
  }
  return { kind: "array", items };
}

/** An object that nests at most `levels` deep, its brace next. */
export function object(scan: Scan, levels: number): ObjectNode {
  const members: [string, Node][] = [];
  scan.eat("{");
  while (!scan.eat("}")) {
    if (members.length > 0 && !scan.eat(",")) scan.fail("',' or '}'");
    const found = key(scan);
    if (!scan.eat(":")) scan.fail("':'");
    members.push([found, value(scan, levels - 1)]);
  }
  return { kind: "object", members };
}

/** A key, bare or in quotes. */
export function key(scan: Scan): string {
  return name(scan, isKeyUnit, "a key");
}

/** The steps that lead to a field through the records it is nested in: `user.login`. */
export function path(scan: Scan): string[] {
  const steps: string[] = [];
  do steps.push(name(scan, isStepUnit, "a field's name"));
  while (scan.eat("."));
  return steps;
}

function name(scan: Scan, holds: (unit: number) => boolean, expected: string): string {
  if (scan.peek() === '"') return scan.string();
  const start = scan.at;
  while (holds(scan.text.charCodeAt(scan.at))) scan.at += 1;
  if (scan.at === start) scan.fail(expected);
  return scan.text.slice(start, scan.at);
}

function isKeyUnit(unit: number): boolean {
  return isStepUnit(unit) || unit === 0x2e || unit === 0x2f;
}

/** True for ASCII letters and digits, and `_`, `-`, `$`, `@` and `+`. */
function isStepUnit(unit: number): boolean {
  const letter = (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x40 && unit <= 0x5a);
  const digit = unit >= 0x30 && unit <= 0x39;
  return letter || digit || unit === 0x5f || unit === 0x2d || unit === 0x24 || unit === 0x2b;
}

/** A piece of a template: its characters, or the path of a field. */
export type Part = string | string[];

/**
 * The parts of a text as JSON spells it. Braces that do not hold a path stand for themselves. A path has no
 * quotes here: an open text cannot hold any, and a quoted one holds them behind backslashes.
 */
export function template(raw: string): Part[] {
  const parts = raw.split(FIELD).map((part, index): Part => (index % 2 === 1 ? part.split(".") : unspell(part)));
  return parts.filter((part) => part !== "");
}

/** The characters that JSON spells `raw`. */
export function unspell(raw: string): string {
  return new Scan(`"${raw}"`).string();
}

/** A word, a number or a bare string. */
function bare(scan: Scan): Node {
  let end = scan.at;
  while (end < scan.text.length && !endsBare(scan.text.charCodeAt(end))) end += 1;
  const text = scan.text.slice(scan.at, end);
  const node = meaning(text);
  if (node === undefined) return scan.fail("a value");
  scan.at = end;
  return node;
}

function meaning(text: string): Node | undefined {
  if (text === "null") return null;
  if (text === "true" || text === "false") return text === "true";
  if (text !== "" && numberEnd(text, 0) === text.length) return { kind: "number", text };
  return isBare(text) ? text : undefined;
}

function isBare(text: string): boolean {
  const spaced = text === "" || text.startsWith(" ") || text.endsWith(" ");
  return !spaced && !NEVER_BARE.test(text) && !INTRO.test(text);
}

/** True for control characters and `,"{}[]()`: these end a bare string wherever they stand. */
function endsBare(unit: number): boolean {
  switch (unit) {
    case 0x2c:
    case 0x22:
    case 0x7b:
    case 0x7d:
    case 0x5b:
    case 0x5d:
    case 0x28:
    case 0x29:
      return true;
    default:
      return unit < 0x20;
  }
}
