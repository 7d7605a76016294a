/** Reads the tokens that every form shares with JSON: strings, numbers, words and white space. */

import { DecodeError } from "./error.js";
import type { Node, NumberNode } from "./tree.js";

const SHORT: Record<string, string> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/** A place in a text, moving forward only. */
export class Scan {
  at = 0;

  constructor(readonly text: string) {}

  /** The next UTF-16 unit; nothing at the end. */
  peek(): string {
    return this.text.charAt(this.at);
  }

  /** Takes `token` if it is next. */
  eat(token: string): boolean {
    const found = this.text.startsWith(token, this.at);
    if (found) this.at += token.length;
    return found;
  }

  /** Takes `token`, which must be next, and the white space behind it. */
  take(token: string, expected: string): void {
    if (!this.eat(token)) this.fail(expected);
    this.space();
  }

  /** Takes white space. */
  space(): void {
    this.at = spaceEnd(this.text, this.at);
  }

  /** Says that something else was expected here. */
  fail(expected: string): never {
    throw DecodeError.at(this.text, this.at, expected);
  }

  /** `true`, `false`, `null`, a number or a string. */
  scalar(): Node {
    const first = this.peek();
    if (first === '"') return this.string();
    if (first === "-" || isDigit(this.text, this.at)) return this.number();
    if (this.eat("true")) return true;
    if (this.eat("false")) return false;
    if (this.eat("null")) return null;
    return this.fail("a value");
  }

  /** A JSON number, its first unit next. */
  number(): NumberNode {
    const end = numberEnd(this.text, this.at);
    if (end === this.at) this.fail("a number");
    const text = this.text.slice(this.at, end);
    this.at = end;
    return { kind: "number", text };
  }

  /** A JSON string, its opening quote next. */
  string(): string {
    const start = this.at + 1;
    this.at = start;
    let plain = true;
    for (let next = this.peek(); next !== '"'; next = this.peek()) {
      if (next < " ") this.fail("the closing quote of a string");
      if (next === "\\") plain = false;
      this.at = Math.min(this.at + (next === "\\" ? 2 : 1), this.text.length);
    }
    const raw = this.text.slice(start, this.at);
    this.at += 1;
    return plain ? raw : this.unescape(raw, start);
  }

  private unescape(raw: string, start: number): string {
    return raw.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_, hex: string | undefined, short: string, at: number) => {
      if (hex !== undefined) return String.fromCharCode(parseInt(hex, 16));
      const character = SHORT[short];
      if (character === undefined) throw DecodeError.at(this.text, start + at, "an escape that JSON knows");
      return character;
    });
  }
}

/** The bytes of `text` in UTF-8; a half of a character alone counts as U+FFFD does. */
export function utf8Length(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.codePointAt(at) ?? 0;
    sum += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (code > 0xffff) at += 1;
  }
  return sum;
}

/** Where the white space at `at` ends. */
export function spaceEnd(text: string, at: number): number {
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x09 || unit === 0x0a || unit === 0x0d;
}

/** Where the JSON number at `at` ends; `at` itself when none is there. */
export function numberEnd(text: string, at: number): number {
  const int = text.charAt(at) === "-" ? at + 1 : at;
  let end = text.charAt(int) === "0" ? int + 1 : digitsEnd(text, int);
  if (end === int || isDigit(text, end)) return at;
  if (text.charAt(end) === ".") {
    const from = end + 1;
    end = digitsEnd(text, from);
    if (end === from) return at;
  }
  if (text.charAt(end) === "e" || text.charAt(end) === "E") {
    const signed = text.charAt(end + 1) === "+" || text.charAt(end + 1) === "-";
    const from = end + (signed ? 2 : 1);
    end = digitsEnd(text, from);
    if (end === from) return at;
  }
  return end;
}

/** Where the digits at `at` end. */
export function digitsEnd(text: string, at: number): number {
  while (isDigit(text, at)) at += 1;
  return at;
}

function isDigit(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0x30 && unit <= 0x39;
}
