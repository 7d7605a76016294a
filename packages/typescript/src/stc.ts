/** Reads STC v1: JSON with bare keys, counted lists and counted tables. */

import { Scan, digitsEnd, numberEnd, spaceEnd } from "./scan.js";
import { MAX_DEPTH, type ArrayNode, type Node, type ObjectNode } from "./tree.js";

/** The most elements or rows that a count can announce. */
const MAX_COUNT = 999_999_999;

/** The exact value that an STC text stands for. */
export function parse(text: string): Node {
  const scan = new Scan(text);
  scan.space();
  const node = countsNext(text, scan.at) ? counted(scan, 0) : value(scan, 0);
  scan.space();
  if (scan.peek() !== "") scan.fail("the end of the document");
  return node;
}

/** True for a number alone in brackets with `:` or `{` behind: a count, not the plain array `[number]`. */
function countsNext(text: string, at: number): boolean {
  if (text.charAt(at) !== "[") return false;
  const start = spaceEnd(text, at + 1);
  const end = numberEnd(text, start);
  const close = spaceEnd(text, end);
  const next = text.charAt(spaceEnd(text, close + 1));
  return end > start && text.charAt(close) === "]" && (next === ":" || next === "{");
}

function value(scan: Scan, depth: number): Node {
  switch (scan.peek()) {
    case "{":
      return object(scan, deeper(scan, depth));
    case "[":
      return array(scan, deeper(scan, depth));
    default:
      return scan.scalar();
  }
}

function deeper(scan: Scan, depth: number): number {
  return depth < MAX_DEPTH ? depth + 1 : scan.fail(`at most ${MAX_DEPTH} levels`);
}

function array(scan: Scan, depth: number): ArrayNode {
  const items: Node[] = [];
  scan.take("[", "'['");
  while (!scan.eat("]")) {
    if (items.length > 0) scan.take(",", "',' or ']'");
    items.push(value(scan, depth));
    scan.space();
  }
  return { kind: "array", items };
}

function object(scan: Scan, depth: number): ObjectNode {
  const members: [string, Node][] = [];
  scan.take("{", "'{'");
  while (!scan.eat("}")) {
    if (members.length > 0) scan.take(",", "',' or '}'");
    members.push([key(scan), placed(scan, depth)]);
    scan.space();
  }
  return { kind: "object", members };
}

/** A key and the white space behind it. */
function key(scan: Scan): string {
  const end = bareEnd(scan.text, scan.at);
  if (end === scan.at && scan.peek() !== '"') scan.fail("a key");
  const found = end > scan.at ? scan.text.slice(scan.at, end) : scan.string();
  scan.at = Math.max(scan.at, end);
  scan.space();
  return found;
}

/** Where the bare key at `at` ends; `at` itself when none is there. */
function bareEnd(text: string, at: number): number {
  let end = at;
  if (digitsEnd(text, at) > at) return at;
  while (/[A-Za-z0-9_]/.test(text.charAt(end))) end += 1;
  return end;
}

/** What follows a key: a colon and a value, or a counted array. */
function placed(scan: Scan, depth: number): Node {
  if (scan.peek() === "[") return counted(scan, depth);
  scan.take(":", "':' or '['");
  return value(scan, depth);
}

function counted(scan: Scan, depth: number): ArrayNode {
  const inside = deeper(scan, depth);
  scan.take("[", "'['");
  const count = readCount(scan);
  scan.take("]", "']'");
  if (scan.peek() === "{") {
    deeper(scan, inside);
    return table(scan, count);
  }
  scan.take(":", "':' or '{'");
  return { kind: "array", items: cells(scan, count) };
}

function readCount(scan: Scan): number {
  const end = digitsEnd(scan.text, scan.at);
  const count = Number(scan.text.slice(scan.at, end));
  if (end === scan.at || scan.peek() === "0" || count > MAX_COUNT) scan.fail(`a count from 1 to ${MAX_COUNT}`);
  scan.at = end;
  scan.space();
  return count;
}

function table(scan: Scan, count: number): ArrayNode {
  const columns = header(scan);
  scan.take(":", "':'");
  const items: Node[] = [];
  for (let place = 1; place <= count; place += 1) {
    if (place > 1) part(scan, "/", "row", place, count);
    const row = cells(scan, columns.length);
    items.push({ kind: "object", members: row.map((cell, index) => [columns[index] ?? "", cell]) });
  }
  return { kind: "array", items };
}

/** The column names between braces; each may stand there once. */
function header(scan: Scan): string[] {
  const columns = new Set<string>();
  scan.take("{", "'{'");
  for (;;) {
    const start = scan.at;
    const column = key(scan);
    if (columns.has(column)) {
      scan.at = start;
      scan.fail("a column that is not there yet");
    }
    columns.add(column);
    if (scan.peek() === "}") {
      scan.take("}", "'}'");
      return [...columns];
    }
    scan.take(",", "',' or '}'");
  }
}

function cells(scan: Scan, count: number): Node[] {
  const found: Node[] = [];
  for (let place = 1; place <= count; place += 1) {
    if (place > 1) part(scan, ",", "value", place, count);
    if (scan.peek() === "[" || scan.peek() === "{") scan.fail("a string, a number, true, false or null");
    found.push(scan.scalar());
  }
  return found;
}

/** Takes the separator before `what` at `place`, with the white space around it. */
function part(scan: Scan, token: string, what: string, place: number, count: number): void {
  scan.space();
  if (!scan.eat(token)) scan.fail(`'${token}' and ${what} ${place} of ${count}`);
  scan.space();
}
