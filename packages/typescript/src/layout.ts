/** Writes JSON as it was laid out: `indent 2, arrays up to 80 on one line, newline`. */

import { utf8Length } from "./scan.js";
import { toJson, type ArrayNode, type Node, type ObjectNode } from "./tree.js";

/** In the order in which a layout is told: one layout has one name, and any other is none. */
const WORDS = new RegExp(
  [
    "^(?<base>compact|spaced|rows|gathered rows|tabs|indent (?<width>[0-9]|1[0-6]))",
    "(?<crlf>, crlf)?",
    "(?:, (?<rule>plain arrays|arrays|objects|arrays up to (?<columns>80|100|120)) on one line",
    "|, (?<levels>1(?= level )|[0234](?= levels )) levels? on lines)?",
    "(?:, except(?<odd>(?: (?:0|[1-9][0-9]{0,18})){1,24}))?",
    "(?:, (?<colon>tight|spaced|wide) colons)?",
    "(?:, (?<comma>tight|spaced) commas)?",
    "(?<pad>, padded(?: when empty)?)?",
    "(?:, (?<escapes>ascii|html|script|strict))?",
    "(?<slashes>, slashes)?",
    "(?<capitals>, capitals)?",
    '(?:, begins "(?<before>(?: |\\\\[tnr]){1,16})")?',
    '(?:(?<newline>, newline)|, ends "(?!\\\\n")(?<after>(?: |\\\\[tnr]){1,16})")?$',
  ].join(""),
);
const COLONS: Record<string, string> = { tight: ":", spaced: ": ", wide: " : " };
const COMMAS: Record<string, string> = { tight: ",", spaced: ", " };
/** What is escaped beyond what must be. A character that is spelled by an escape already is matched with it. */
const ESCAPED: Record<string, string> = {
  "": "",
  ascii: "|[^\\x00-\\x7f]",
  html: "|[<>&\\u2028\\u2029]",
  script: "|[<>&='\\u2028\\u2029]",
  strict: "|[<>&'+`\\x7f]|[^\\x00-\\x7f]",
};

/** White space and escapes of a JSON text. */
export interface Layout {
  readonly base: string;
  /** What each step further in adds to a line, where groups are on lines of their own. */
  readonly step: string | undefined;
  readonly newline: string;
  readonly rule: string | undefined;
  readonly columns: number;
  readonly levels: number | undefined;
  /** The groups that are not laid out by the rule, by number: the first is 1, empty ones do not count. */
  readonly odd: number[];
  readonly colon: string;
  readonly comma: string;
  readonly pad: string;
  readonly empty: string;
  readonly escapes: string;
  readonly slashes: boolean;
  readonly capitals: boolean;
  readonly before: string;
  readonly after: string;
}

/** The layout that is told so; none if no program of ours tells any so. */
export function read(words: string): Layout | undefined {
  const found = WORDS.exec(words)?.groups as Record<string, string | undefined> | undefined;
  if (found === undefined) return undefined;
  const base = found["base"] ?? "";
  const usual = ["compact", "rows", "gathered rows"].includes(base) ? "tight" : "spaced";
  const odd = (found["odd"] ?? "").split(" ").slice(1).map(Number);
  const rises = odd.every((number, index) => number >= (odd[index - 1] ?? 0));
  if (found["colon"] === usual || found["comma"] === usual || !rises) return undefined;
  const width = found["width"];
  return {
    base,
    step: base === "tabs" ? "\t" : width === undefined ? undefined : " ".repeat(Number(width)),
    newline: found["crlf"] ? "\r\n" : "\n",
    rule: found["rule"],
    columns: Number(found["columns"] ?? 0),
    levels: found["levels"] === undefined ? undefined : Number(found["levels"]),
    odd,
    colon: COLONS[found["colon"] ?? usual] ?? "",
    comma: COMMAS[found["comma"] ?? usual] ?? "",
    pad: found["pad"] === ", padded" ? " " : "",
    empty: found["pad"] ? " " : "",
    escapes: found["escapes"] ?? "",
    slashes: found["slashes"] !== undefined,
    capitals: found["capitals"] !== undefined,
    before: blank(found["before"]),
    after: found["newline"] ? "\n" : blank(found["after"]),
  };
}

function blank(spelled: string | undefined): string {
  return JSON.parse(`"${spelled ?? ""}"`) as string;
}

/** `node` in this layout; none when that takes more than `most` bytes. */
export function write(layout: Layout, node: Node, most: number): string | undefined {
  const writer = new Writer(layout, most - layout.before.length - layout.after.length);
  writer.value(node, 0, 0);
  return writer.left < 0 ? undefined : layout.before + writer.out + layout.after;
}

type Group = ArrayNode | ObjectNode;

function isGroup(node: Node): node is Group {
  return node !== null && typeof node === "object" && node.kind !== "number";
}

/** True for an array that holds no other group. */
function isPlain(node: Group): node is ArrayNode {
  return node.kind === "array" && !node.items.some(isGroup);
}

/** A text being written. */
class Writer {
  out = "";
  private column: number;
  private group = 0;
  private odd = 0;
  private level = 0;
  private readonly escaped: RegExp;

  constructor(
    private readonly layout: Layout,
    /** Bytes that may still be written; once there are none, the rest is left out. */
    public left: number,
  ) {
    this.column = layout.before.length;
    const more = (ESCAPED[layout.escapes] ?? "") + (layout.slashes ? "|/" : "");
    this.escaped = new RegExp(`\\\\u[0-9a-f]{4}|\\\\.${more}`, "gu");
  }

  private put(text: string): void {
    this.left -= utf8Length(text);
    if (this.left < 0) return;
    this.out += text;
    this.column += characters(text);
  }

  /** Writes a value on a line that is `depth` steps in, with so many characters behind it at least. */
  value(node: Node, depth: number, follows: number): void {
    if (this.left < 0) return;
    if (!isGroup(node)) {
      this.put(this.scalar(node));
      return;
    }
    this.put(node.kind === "array" ? "[" : "{");
    if ((node.kind === "array" ? node.items : node.members).length > 0) {
      this.group += 1;
      this.level += 1;
      this.filled(node, depth, follows);
      this.level -= 1;
    } else {
      this.put(this.layout.empty);
    }
    this.put(node.kind === "array" ? "]" : "}");
  }

  /** Writes what stands between the brackets. */
  private filled(node: Group, depth: number, follows: number): void {
    const { columns, odd, step } = this.layout;
    const isOdd = odd[this.odd] === this.group;
    if (isOdd) this.odd += 1;
    const column = columns > 0 && isPlain(node) ? this.column + this.width(node) + 1 + follows : 0;
    const breaks = step !== undefined && this.breaks(node, column) !== isOdd;
    if (breaks) this.lines(node, depth);
    else this.flat(node, depth);
  }

  /** True when the rule puts a group on lines of its own that would end at `column`. */
  private breaks(node: Group, column: number): boolean {
    const { rule, columns, levels } = this.layout;
    if (levels !== undefined) return this.level - 1 < levels;
    if (rule === "arrays") return node.kind === "object";
    if (rule === "objects") return node.kind === "array";
    return rule === undefined || !isPlain(node) || (columns > 0 && column > columns);
  }

  /** The characters of a plain array on one line, without its brackets. */
  private width(node: ArrayNode): number {
    const cells = node.items.map((item) => this.scalar(item));
    return characters(cells.join(this.layout.comma)) + 2 * this.layout.pad.length;
  }

  /** Writes each part on a line of its own. */
  private lines(node: Group, depth: number): void {
    const all = parts(node);
    all.forEach(([key, part], index) => {
      const isLast = index === all.length - 1;
      this.line(depth + 1);
      this.part(key, part, depth + 1, isLast);
      this.put(isLast ? "" : ",");
    });
    this.line(depth);
  }

  /** Writes all parts on one line. */
  private flat(node: Group, depth: number): void {
    const { base, comma, pad } = this.layout;
    const outer = base === "rows" ? ",\n" : base === "gathered rows" ? ", \n " : comma;
    const between = this.level === 1 ? outer : comma;
    const all = parts(node);
    this.put(pad);
    all.forEach(([key, part], index) => {
      const isLast = index === all.length - 1;
      this.part(key, part, depth, isLast);
      this.put(isLast ? "" : between);
    });
    this.put(pad);
  }

  private part(key: string | undefined, part: Node, depth: number, isLast: boolean): void {
    if (key !== undefined) this.put(this.scalar(key) + this.layout.colon);
    this.value(part, depth, isLast ? 0 : 1);
  }

  /** Begins a line. */
  private line(depth: number): void {
    this.put(this.layout.newline);
    this.column = 0;
    this.put((this.layout.step ?? "").repeat(depth));
  }

  /** A value that holds no others, its string with the escapes of the layout. */
  private scalar(node: Node): string {
    const spelled = toJson(node);
    return typeof node === "string" ? spelled.replace(this.escaped, (found) => this.escape(found)) : spelled;
  }

  /** The spelling of a character that is not copied. */
  private escape(found: string): string {
    if (found === "/") return "\\/";
    if (found.startsWith("\\u")) return `\\u${this.digits(parseInt(found.slice(2), 16))}`;
    const isQuote = found === '\\"' && this.layout.escapes === "strict";
    if (found.startsWith("\\") && !isQuote) return found;
    const units = (isQuote ? '"' : found).split("");
    return units.map((unit) => `\\u${this.digits(unit.charCodeAt(0))}`).join("");
  }

  private digits(unit: number): string {
    const small = unit.toString(16).padStart(4, "0");
    return this.layout.capitals ? small.toUpperCase() : small;
  }
}

/** The parts of a group: each with its key, if it has one. */
function parts(node: Group): [string | undefined, Node][] {
  return node.kind === "array" ? node.items.map((item) => [undefined, item]) : node.members;
}

/** How many characters, not UTF-16 units, a text has. */
function characters(text: string): number {
  let sum = text.length;
  for (let at = 0; at < text.length - 1; at += 1) if ((text.codePointAt(at) ?? 0) > 0xffff) sum -= 1;
  return sum;
}
