/** Reads the terse form: lists of records as rows under one header, with what is said once said once. */

import { complete } from "./complete.js";
import { DecodeError } from "./error.js";
import * as facts from "./facts.js";
import * as flow from "./flow.js";
import * as rows from "./rows.js";
import { Scan } from "./scan.js";
import { MAX_DEPTH, type ArrayNode, type Node, type ObjectNode } from "./tree.js";

/** How many records there are, and the words for how they are laid out. */
interface Intro {
  readonly count: number;
  readonly words: string;
}

/** The longest intro is `999999999 keyed records` and its line's end. */
const MAX_INTRO = 24;

/** The exact value that a terse text stands for. */
export function parse(text: string): Node {
  const scan = new Scan(text);
  const node = root(scan);
  if (scan.peek() !== "") scan.fail("the end of the document");
  return node;
}

function root(scan: Scan): Node {
  const found = intro(scan);
  if (found !== undefined) return list(scan, found, 0);
  const first = scan.peek();
  if (first === "{" || first === "[") return flow.value(scan, MAX_DEPTH);
  return isMember(scan.text) ? members(scan, 0) : scan.scalar();
}

/** True when the text begins with a key and its colon. */
function isMember(text: string): boolean {
  const scan = new Scan(text);
  try {
    flow.key(scan);
  } catch (fault) {
    if (fault instanceof DecodeError) return false;
    throw fault;
  }
  return scan.peek() === ":";
}

/** Takes `12 rows` and its line's end, if that is next. */
function intro(scan: Scan): Intro | undefined {
  const [line = "", end] = scan.text.slice(scan.at, scan.at + MAX_INTRO).split("\n", 2);
  const found = flow.INTRO.exec(line);
  if (found === null || end === undefined) return undefined;
  scan.at += line.length + 1;
  return { count: Number(found[1]), words: found[2] ?? "" };
}

/** The members of an object, each on its line behind `depth` spaces. */
function members(scan: Scan, depth: number): ObjectNode {
  if (depth === MAX_DEPTH) scan.fail("fewer levels");
  const found: [string, Node][] = [];
  do {
    scan.at += depth;
    found.push([flow.key(scan), member(scan, depth)]);
  } while (endsLineBefore(scan, depth));
  return { kind: "object", members: found };
}

/** What stands behind a key: members on the lines below, a list, or a value. */
function member(scan: Scan, depth: number): Node {
  if (scan.eat(":\n")) {
    if (indent(scan) !== depth + 1) scan.fail("members one space further in");
    return members(scan, depth + 1);
  }
  if (!scan.eat(": ")) scan.fail("': ' or ':' and the line's end");
  const found = intro(scan);
  return found === undefined ? flow.value(scan, MAX_DEPTH - depth - 1) : list(scan, found, depth + 1);
}

/** At a line's end: true, and behind it, when the next line has a member at `depth`. */
function endsLineBefore(scan: Scan, depth: number): boolean {
  const end = scan.at;
  if (scan.peek() === "") return false;
  if (!scan.eat("\n")) scan.fail("the end of the line");
  const found = indent(scan);
  if (found > depth) scan.fail("a member no further in");
  if (found < depth) scan.at = end;
  return found === depth;
}

function indent(scan: Scan): number {
  let end = scan.at;
  while (scan.text.charAt(end) === " ") end += 1;
  return end - scan.at;
}

/** The values of an array, each behind its number and `depth` spaces. */
function items(scan: Scan, count: number, depth: number): ArrayNode {
  const found: Node[] = [];
  for (let number = 1; number <= count; number += 1) {
    if ((number > 1 && !scan.eat("\n")) || indent(scan) !== depth) scan.fail(`item ${number}`);
    scan.at += depth;
    if (!scan.eat(`item ${number}`)) scan.fail(`item ${number}`);
    found.push(member(scan, depth));
  }
  return { kind: "array", items: found };
}

/** The values of a list that stands at `depth`. */
function list(scan: Scan, { count, words }: Intro, depth: number): Node {
  const levels = MAX_DEPTH - depth;
  if (levels < 2) scan.fail("fewer levels");
  if (words === "items") return items(scan, count, depth);
  const start = scan.at;
  const keyed = words.startsWith("keyed");
  const headed = words.endsWith("rows");
  const known = facts.read(scan, headed ? "every row" : "every record");
  const columns = headed ? rows.header(scan, keyed) : [];
  facts.adopt(known, columns);
  const keys: string[] = [];
  const records: ObjectNode[] = [];
  for (let index = 0; index < count; index += 1) {
    if (index > 0 && !scan.eat("\n")) scan.fail(`${count - index} more ${words}`);
    if (keyed) keys.push(rowKey(scan));
    records.push(headed ? rows.row(scan, columns, levels - 1) : record(scan, levels - 1));
  }
  if (scan.peek() !== "" && scan.peek() !== "\n") scan.fail("the end of the line");
  const whole = complete(scan, start, known, records);
  if (!whole.every((record) => within(record, levels - 1))) scan.fail("fewer levels");
  if (!keyed) return { kind: "array", items: whole };
  return { kind: "object", members: whole.map((record, index) => [keys[index] ?? "", record]) };
}

function rowKey(scan: Scan): string {
  const key = flow.key(scan);
  if (!scan.eat(": ")) scan.fail("': '");
  return key;
}

function record(scan: Scan, levels: number): ObjectNode {
  if (scan.peek() !== "{") scan.fail("a record in braces");
  return flow.object(scan, levels);
}

/** True when `node` nests at most `levels` deep. */
function within(node: Node, levels: number): boolean {
  if (node === null || typeof node !== "object" || node.kind === "number") return true;
  if (levels === 0) return false;
  if (node.kind === "array") return node.items.every((item) => within(item, levels - 1));
  return node.members.every(([, value]) => within(value, levels - 1));
}
