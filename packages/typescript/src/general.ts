/** Reads the general form: a list of signs, templates below it, and a text in which both are used. */

import { DecodeError } from "./error.js";
import { utf8Length } from "./scan.js";

/** How many times its own bytes a text may come back as: a few words can stand for very much. */
export const GROWTH = 256;

const HEAD = "[Shorter notation.";
const HEAD_END = "]\n";
const TEXT = "[The text:]";
const SIGNS =
  "ΓΔζθλξπΣφψΩЖШЮЯИЦЛЭ§¶†‡※★■●◆▲▼♥♪∞√∀≈€£¥♀☎あいうえかきくけこしすせそたつてとなにねのはひふへまみむめもやゆよらるをん";
const DITTO = /(.): same value as in the row above[.]/su;
const FOLD = /^.* Line ends behind `(.*)` are ours\.$/s;
const BRACES = /\{([^{}]*)\}/;
const PAD = /^(.*):([<>])([0-9]+)$/s;
const BLOCK = /^([0-9]+) lines:$/;
const COUNT = /^×([0-9]+)(:?)$/;

/** The text that was written as `text`, which may come back as so many bytes at most. */
export function restore(text: string, most: number): string {
  const [first, below] = cut(text, HEAD_END);
  if (!first.startsWith(HEAD) || below === undefined) throw fault(1, `'${HEAD}'`, first);
  const head = first.slice(HEAD.length);
  const [signs, rest] = list(below);
  const lines = new Lines(2 + signs.length, unsigned(signs, rest, new Room(most)));
  const templates = definitions(lines);
  const body = new Body(lines, templates, DITTO.exec(head)?.[1], new Room(most)).read();
  const end = FOLD.exec(head)?.[1];
  return end === undefined ? body : body.split(`${end}\n`).join(end);
}

/** The text that was written piece by piece; `lengths` tells the bytes of each. */
export function restorePieces(text: string, lengths: string, most: number): string {
  const pieces: string[] = [];
  let [start, left] = [0, most];
  for (const length of lengths.split(" ")) {
    const end = /^[0-9]{1,15}$/.test(length) ? behind(text, start, Number(length)) : undefined;
    if (end === undefined) throw fault(1, "a piece as long as the mark says", lengths);
    const piece = text.slice(start, end);
    const came = piece.startsWith(HEAD) ? restore(piece, left) : piece;
    pieces.push(came);
    left -= utf8Length(came);
    start = end;
  }
  if (start < text.length || left < 0) throw fault(1, "pieces as long as the mark says", lengths);
  return pieces.join("");
}

/** Where so many bytes of a text end that begin at a place, if they are whole characters. */
function behind(text: string, start: number, bytes: number): number | undefined {
  let end = start;
  while (bytes > 0 && end < text.length) {
    const code = text.codePointAt(end) ?? 0;
    bytes -= code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    end += code < 0x10000 ? 1 : 2;
  }
  return bytes === 0 ? end : undefined;
}

/** What stands before the first `mark`, and what behind it, if there is one. */
function cut(text: string, mark: string): [string, string | undefined] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + mark.length)];
}

/** Bytes that a text may still grow by. */
class Room {
  constructor(private left: number) {}

  /** Takes room for so many bytes of what a line stands for. */
  take(weight: number, line: number): void {
    this.left -= weight;
    if (this.left < 0) {
      throw new DecodeError(line, 1, `a text that grows to at most ${GROWTH} times its bytes`, "a larger one");
    }
  }
}

/** The lines below the list of signs, read one by one. */
class Lines {
  private at = 0;
  private readonly lines: string[];

  constructor(
    private readonly first: number,
    text: string,
  ) {
    this.lines = text.split("\n");
  }

  /** The number of the line that was read last. */
  get number(): number {
    return this.first + this.at - 1;
  }

  get isAtEnd(): boolean {
    return this.at === this.lines.length;
  }

  /** The next line, where one is expected. */
  next(expected: string): string {
    const line = this.lines[this.at];
    if (line === undefined) throw new DecodeError(this.number, 1, expected, "the end");
    this.at += 1;
    return line;
  }

  /** Says that something else was expected on the line that was read last. */
  fail(expected: string): never {
    throw fault(this.number, expected, this.lines[this.at - 1] ?? "");
  }
}

function fault(line: number, expected: string, found: string): DecodeError {
  return new DecodeError(line, 1, expected, `'${[...found.slice(0, 80)].slice(0, 40).join("")}'`);
}

/** The signs with their phrases, and what follows them. */
function list(text: string): [[string, string][], string] {
  const signs: [string, string][] = [];
  while (text !== "" && SIGNS.includes(text.charAt(0))) {
    const [line, rest] = cut(text, "\n");
    if (line.charAt(1) !== " " || rest === undefined) {
      throw fault(2 + signs.length, "a sign, a space and a phrase on a line", line);
    }
    signs.push([line.charAt(0), line.slice(2)]);
    text = rest;
  }
  return [signs, text];
}

/** The text with each sign replaced by its phrase. */
function unsigned(signs: [string, string][], text: string, room: Room): string {
  room.take(utf8Length(text), 2 + signs.length);
  if (signs.length === 0) return text;
  const phrases = new Map(signs.map(([sign, phrase]) => [sign, { phrase, weight: utf8Length(phrase) }]));
  return text.replace(new RegExp(`[${[...phrases.keys()].join("")}]`, "g"), (sign) => {
    const known = phrases.get(sign) ?? { phrase: sign, weight: 0 };
    room.take(known.weight, 2 + signs.length);
    return known.phrase;
  });
}

/** Where a value stands: the number of the value, and the bytes that blanks fill it up to on one side. */
interface Hole {
  readonly place: number;
  readonly side: string;
  readonly width: number;
}

interface Same {
  readonly text: string;
  readonly weight: number;
}

interface Template {
  readonly holes: number;
  readonly separator: string;
  readonly parts: (Same | Hole)[];
}

/** The templates by name, up to the line above the text. */
function definitions(lines: Lines): Map<string, Template> {
  const expected = `a definition or '${TEXT}'`;
  const templates = new Map<string, Template>();
  for (let line = lines.next(expected); line !== TEXT; line = lines.next(expected)) {
    const [left, right] = cut(line, " = ");
    if (right === undefined) lines.fail(expected);
    const [name, named] = cut(left, " ");
    const { names, separator } = holes(lines, named ?? "");
    const places = new Map(names.map((name, place): [string, number] => [name, place]).reverse());
    templates.set(name, { holes: names.length, separator, parts: parts(lines, right, places) });
  }
  return templates;
}

/** The parts of a template of one line, or of the block of lines that follow. */
function parts(lines: Lines, right: string, places: Map<string, number>): (Same | Hole)[] {
  const height = number(BLOCK.exec(right)?.[1]);
  if (height === undefined) return lineParts(right, places);
  const found: (Same | Hole)[] = [];
  for (let row = 0; row < height; row += 1) {
    const line = lines.next("a line of the block");
    if (!line.startsWith(" | ")) lines.fail("' | '");
    if (row > 0) found.push(same("\n"));
    for (const part of lineParts(line.slice(3), places)) found.push(part);
  }
  return found;
}

/** The names of the holes, and what stands between their values. */
function holes(lines: Lines, left: string): { names: string[]; separator: string } {
  const pieces = left.split(BRACES);
  const names = pieces.filter((_, index) => index % 2 === 1);
  const [separator = ",", ...others] = new Set(pieces.slice(1, -1).filter((_, index) => index % 2 === 1));
  if (pieces[0] !== "" || pieces.at(-1) !== "" || others.length > 0 || separator === "") {
    lines.fail("names in braces with one separator between them");
  }
  return { names, separator };
}

/** The parts of a line of a template: braces around anything that is no hole are text. */
function lineParts(line: string, places: Map<string, number>): (Same | Hole)[] {
  const found: (Same | Hole)[] = [];
  let text = "";
  line.split(BRACES).forEach((piece, index) => {
    const known = index % 2 === 1 ? hole(piece, places) : undefined;
    if (known === undefined) {
      text += index % 2 === 1 ? `{${piece}}` : piece;
    } else {
      found.push(same(text), known);
      text = "";
    }
  });
  found.push(same(text));
  return found;
}

function same(text: string): Same {
  return { text, weight: utf8Length(text) };
}

function hole(inside: string, places: Map<string, number>): Hole | undefined {
  const place = places.get(inside);
  if (place !== undefined) return { place, side: "", width: 0 };
  const [, name = "", side = "", digits] = PAD.exec(inside) ?? [];
  const padded = places.get(name);
  const width = number(digits);
  return padded === undefined || width === undefined ? undefined : { place: padded, side, width };
}

const MOST = "18446744073709551615";

/** The number, if there is one and the program can hold it. */
function number(digits: string | undefined): number | undefined {
  if (digits === undefined) return undefined;
  const plain = digits.replace(/^0+/, "");
  const fits = plain.length < MOST.length || (plain.length === MOST.length && plain <= MOST);
  return fits ? Number(plain) : undefined;
}

/** Reads the text that rows, runs, repeats and plain lines stand for. */
class Body {
  constructor(
    private readonly lines: Lines,
    private readonly templates: Map<string, Template>,
    private readonly ditto: string | undefined,
    private readonly room: Room,
  ) {}

  read(): string {
    const items: string[] = [];
    while (!this.lines.isAtEnd) items.push(this.item(this.lines.next("")));
    return items.join("\n");
  }

  private item(line: string): string {
    const [name, values = ""] = cut(line, " ");
    const template = this.templates.get(name);
    if (template === undefined) {
      this.room.take(utf8Length(line) + 1, this.lines.number);
      return line;
    }
    const [, digits, colon] = COUNT.exec(values) ?? [];
    const count = number(digits);
    if (count !== undefined && colon === ":") return this.run(template, count);
    if (count !== undefined && template.holes === 0) return this.repeat(template, count);
    return this.row(template, this.values(template, values, undefined));
  }

  /** So many rows, each with the values of the row above at hand. */
  private run(template: Template, count: number): string {
    const rows: string[] = [];
    let above: string[] | undefined;
    while (rows.length < count) {
      const line = this.lines.next(`${count - rows.length} more rows`);
      above = this.values(template, line, above);
      rows.push(this.row(template, above));
    }
    return rows.join("\n");
  }

  private repeat(template: Template, count: number): string {
    if (count === 0) return "";
    const row = this.row(template, []);
    this.room.take((utf8Length(row) + 1) * (count - 1), this.lines.number);
    return `${row}\n`.repeat(count - 1) + row;
  }

  /** The values of a row. */
  private values({ holes, separator }: Template, line: string, above: string[] | undefined): string[] {
    const found = holes > 1 ? line.split(separator) : holes === 1 || line !== "" ? [line] : [];
    if (found.length !== holes) this.lines.fail(`${holes} values`);
    return found.map((value, place) => {
      if (value !== this.ditto) return value;
      return above?.[place] ?? this.lines.fail("a value: no row of the run stands above");
    });
  }

  /** The line or lines that a row stands for; each part takes room, an empty one too, for it takes time. */
  private row({ parts }: Template, values: string[]): string {
    let row = "";
    this.room.take(1, this.lines.number);
    for (const part of parts) {
      if ("text" in part) {
        this.room.take(part.weight, this.lines.number);
        row += part.text;
      } else {
        row += this.filled(part, values[part.place] ?? "");
      }
    }
    return row;
  }

  private filled({ side, width }: Hole, value: string): string {
    const weight = utf8Length(value);
    this.room.take(Math.max(weight, width, 1), this.lines.number);
    const blanks = " ".repeat(Math.max(width - weight, 0));
    return side === ">" ? blanks + value : value + blanks;
  }
}
