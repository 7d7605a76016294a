/** Reads the lines above a list's records: what is said once for all of them. */

import { DecodeError } from "./error.js";
import * as flow from "./flow.js";
import type { Column } from "./rows.js";
import { Scan, utf8Length } from "./scan.js";
import { MAX_DEPTH, type Node } from "./tree.js";

/** Facts about the records of one path: each is held against each field of each record. */
const MAX_FACTS = 1024;

/** Parts that a template may have: each is put together for each record. */
const MAX_PARTS = 64;

const ALPHABETICAL = "in alphabetical order";
const HAVING = " that has ";
const UNLESS = "unless given";
const WHERE = "where there is ";
const MADE = " = ";
const BEGINS = ": each begins with ";
const NEVER_OPEN = /[\x00-\x1f"\\]/;

/** A value that is said once. */
export interface Constant<V extends Node = Node> {
  readonly key: string;
  readonly value: V;
  readonly weight: number;
}

/** A field and what its values are made of. */
export type Template = [key: string, parts: flow.Part[]];

/** The place of each field. */
export type Order = "alphabetical" | Map<string, number>;

/** What the lines above a list say of the records that one path reaches. */
export class Facts {
  order: Order | undefined;
  readonly same: Constant[] = [];
  /** What is so where a record does not say otherwise. */
  readonly usual: Constant[] = [];
  readonly made: Template[] = [];
  /** What is made so where a record does not say otherwise. */
  readonly mostly: Template[] = [];
  readonly begins: Constant<string>[] = [];
  /** The fields that there is a fact about. */
  private readonly keys = new Set<string>();
  /** The same for the records inside a field. */
  readonly below = new Map<string, Facts>();
  /** True once a record was met that the facts are about. */
  met = false;

  /** How many facts there are about one path's records. */
  count(): number {
    return this.keys.size + this.below.size;
  }

  /** The facts about the records that `steps` lead to. */
  at(scan: Scan, steps: string[]): Facts {
    if (steps.length >= MAX_DEPTH) scan.fail("fewer levels");
    let facts: Facts = this;
    for (const step of steps) {
      let inside = facts.below.get(step);
      if (inside === undefined) {
        facts.makeRoom(scan);
        inside = new Facts();
        facts.below.set(step, inside);
      }
      facts = inside;
    }
    return facts;
  }

  /** The facts about the records that hold the field at `steps`, and the field's key. */
  holding(scan: Scan, steps: string[]): [Facts, string] {
    const facts = this.at(scan, steps.slice(0, -1));
    facts.makeRoom(scan);
    const key = steps.at(-1) ?? "";
    if (facts.keys.has(key)) scan.fail("one fact for each field");
    facts.keys.add(key);
    return [facts, key];
  }

  /** Fails when no further fact is allowed. */
  private makeRoom(scan: Scan): void {
    if (this.count() >= MAX_FACTS) scan.fail("fewer facts");
  }
}

/** All facts of a list whose records are called `each`. */
export function read(scan: Scan, each: string): Facts {
  const facts = new Facts();
  let start = scan.at;
  while (line(facts, scan, each)) start = scan.at;
  scan.at = start;
  return facts;
}

/** Reads one fact; false when the line is something else. */
function line(facts: Facts, scan: Scan, each: string): boolean {
  if (scan.eat(each)) {
    if (scan.eat(HAVING)) flow.path(scan);
    constants(facts, scan, "same");
  } else if (scan.eat(UNLESS)) {
    unless(facts, scan);
  } else if (isFields(scan)) {
    fields(facts, scan);
  } else {
    const steps = tryPath(scan);
    return steps !== undefined && textFact(facts, scan, steps);
  }
  return true;
}

function tryPath(scan: Scan): string[] | undefined {
  try {
    return flow.path(scan);
  } catch (fault) {
    if (fault instanceof DecodeError) return undefined;
    throw fault;
  }
}

/** Reads what the values at `steps` are made of or begin with. */
function textFact(facts: Facts, scan: Scan, steps: string[]): boolean {
  if (scan.eat(MADE)) {
    const parts = readParts(scan);
    const [holder, key] = facts.holding(scan, steps);
    holder.made.push([key, parts]);
    return true;
  }
  if (scan.eat(BEGINS)) {
    const value = flow.unspell(openText(scan));
    const [holder, key] = facts.holding(scan, steps);
    holder.begins.push({ key, value, weight: weigh(key, value) });
    return true;
  }
  return false;
}

/** Reads what holds for the records that do not say otherwise. */
function unless(facts: Facts, scan: Scan): void {
  if (!scan.eat(", ")) return constants(facts, scan, "usual");
  if (scan.eat(WHERE)) {
    flow.path(scan);
    return constants(facts, scan, "usual");
  }
  const steps = flow.path(scan);
  if (!scan.eat(MADE)) scan.fail("' = '");
  const parts = readParts(scan);
  const [holder, key] = facts.holding(scan, steps);
  holder.mostly.push([key, parts]);
}

/** Reads values by path into one part of the facts. */
function constants(facts: Facts, scan: Scan, part: "same" | "usual"): void {
  if (!scan.eat(": ")) scan.fail("': '");
  for (;;) {
    const steps = flow.path(scan);
    if (!scan.eat("=")) scan.fail("'='");
    const value = flow.value(scan, MAX_DEPTH);
    const [holder, key] = facts.holding(scan, steps);
    holder[part].push({ key, value, weight: weigh(key, value) });
    if (scan.eat("\n")) return;
    if (!scan.eat(", ")) scan.fail("', ' or the end of the line");
  }
}

/** True for `fields: …` and `fields of …`, as against a keyed record or a field that is called `fields`. */
function isFields({ text, at }: Scan): boolean {
  if (text.startsWith("fields of ", at)) return true;
  const other = text.startsWith("{", at + 8) || text.startsWith("each begins with ", at + 8);
  return text.startsWith("fields: ", at) && !other;
}

function fields(facts: Facts, scan: Scan): void {
  scan.eat("fields");
  const steps = scan.eat(" of ") ? flow.path(scan) : [];
  if (!scan.eat(": ")) scan.fail("': '");
  const found = order(scan);
  const holder = facts.at(scan, steps);
  if (holder.order !== undefined) scan.fail("one order of fields");
  holder.order = found;
}

function order(scan: Scan): Order {
  if (scan.eat(`${ALPHABETICAL}\n`)) return "alphabetical";
  const places = new Map<string, number>();
  for (;;) {
    const key = flow.key(scan);
    if (places.has(key)) scan.fail("each field once");
    places.set(key, places.size);
    if (scan.eat("\n")) return places;
    if (!scan.eat(",")) scan.fail("',' or the end of the line");
  }
}

/** The parts of a template that goes to the end of the line. */
function readParts(scan: Scan): flow.Part[] {
  const parts = flow.template(openText(scan));
  return parts.length > MAX_PARTS ? scan.fail(`a template of at most ${MAX_PARTS} parts`) : parts;
}

/** A text up to the end of its line, or in quotes, as JSON spells it. */
function openText(scan: Scan): string {
  const end = scan.text.indexOf("\n", scan.at);
  if (end < 0) {
    scan.at = scan.text.length;
    scan.fail("records on the lines below");
  }
  const line = scan.text.slice(scan.at, end);
  const quoted = line.startsWith('"') && isSpelled(line);
  if (!quoted && (line === "" || NEVER_OPEN.test(line))) scan.fail("a text, in quotes if it has any");
  scan.at = end + 1;
  return quoted ? line.slice(1, -1) : line;
}

/** True for one string in quotes, spelled as every value is spelled. */
function isSpelled(line: string): boolean {
  try {
    return JSON.stringify(new Scan(line).string()) === line;
  } catch (fault) {
    if (fault instanceof DecodeError) return false;
    throw fault;
  }
}

/** Takes the order of fields from a header where no line names it and records leave fields out. */
export function adopt(facts: Facts, columns: Column[]): void {
  if (facts.order === undefined && facts.usual.length + facts.mostly.length > 0) {
    const same = facts.same.map(({ key }) => key);
    const stored = columns.map(({ key }) => key);
    const made = facts.made.map(([key]) => key);
    const keys = new Set([...same, ...stored, ...made, ...facts.below.keys()]);
    facts.order = new Map([...keys].map((key, place) => [key, place]));
  }
  const seen = new Set<string>();
  for (const { key, inside } of columns) {
    // Of the columns with one key, those of the records are the first that have others inside.
    if (inside.length === 0 || seen.has(key)) continue;
    seen.add(key);
    const below = facts.below.get(key);
    if (below !== undefined) adopt(below, inside);
  }
}

/** The bytes, more or less, that a member takes as text. */
export function weigh(key: string, value: Node): number {
  return length(key) + size(value);
}

function size(node: Node): number {
  if (typeof node === "string") return length(node) + 2;
  if (node === null || typeof node === "boolean") return 4;
  switch (node.kind) {
    case "number":
      return node.text.length;
    case "array":
      return node.items.reduce((sum, item) => sum + size(item) + 1, 2);
    case "object":
      return node.members.reduce((sum, [key, value]) => sum + length(key) + size(value) + 4, 2);
  }
}

function length(text: string): number {
  return utf8Length(JSON.stringify(text)) - 2;
}
