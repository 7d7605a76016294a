/** Puts back into each record what the lines above said once. */

import { weigh, type Facts, type Template } from "./facts.js";
import type { Part } from "./flow.js";
import { utf8Length, type Scan } from "./scan.js";
import type { Node, ObjectNode } from "./tree.js";

/** How many times its own text facts may add to a list: a line said once could otherwise fill any memory. */
const GROWTH = 256;

type Members = [string, Node][];

/** The record around the one being completed, and the key that leads from it to that one. */
interface Frame {
  readonly members: Members;
  readonly step: string;
  readonly up: Frame | undefined;
}

/** Completes all records of a list that began at `start`. */
export function complete(scan: Scan, start: number, facts: Facts, records: ObjectNode[]): ObjectNode[] {
  if (facts.order === undefined && facts.count() === 0) return records;
  const room = new Room(scan, start);
  for (const record of records) begin(facts, record.members, room);
  return records.map((record) => fillRecord(facts, record.members, undefined, room));
}

/** Bytes that facts may still add. */
class Room {
  private left: number;

  constructor(private readonly scan: Scan, start: number) {
    this.left = GROWTH * utf8Length(scan.text.slice(start, scan.at));
  }

  /** Takes room for a member of this weight. */
  take(weight: number): void {
    this.left -= weight;
    if (this.left <= 0) this.scan.fail("records that hold less of what is said once");
  }

  /** Says that a record contradicts what is said once. */
  misfit(): never {
    return this.scan.fail("records that fit the lines above them");
  }
}

/** The place of each key, of equal ones the first. */
function placesOf(members: Members): Map<string, number> {
  const places = new Map<string, number>();
  members.forEach(([key], place) => places.has(key) || places.set(key, place));
  return places;
}

/** Puts back what values begin with and what is usual, and notes which records there are. */
function begin(facts: Facts, members: Members, room: Room): void {
  facts.met = true;
  const places = placesOf(members);
  const at = (key: string): [string, Node] | undefined => members[places.get(key) ?? -1];
  for (const { key, value, weight } of facts.begins) {
    const member = at(key);
    if (member === undefined) continue;
    if (typeof member[1] !== "string") return room.misfit();
    room.take(weight);
    member[1] = value + member[1];
  }
  for (const { key, value, weight } of facts.usual) {
    if (places.has(key)) continue;
    room.take(weight);
    places.set(key, members.length);
    members.push([key, value]);
  }
  for (const [key, below] of facts.below) {
    const member = at(key);
    if (member !== undefined) member[1] = beginIn(below, member[1], room);
  }
}

/** A copy of `node`, which other records may share, with the records in it begun. */
function beginIn(facts: Facts, node: Node, room: Room): Node {
  const record = ({ members }: ObjectNode): ObjectNode => {
    const copy = members.map(([key, value]): [string, Node] => [key, value]);
    begin(facts, copy, room);
    return { kind: "object", members: copy };
  };
  return mapRecords(node, record);
}

/** `node` with `change` made to the record that it is, or to those among its items. */
function mapRecords(node: Node, change: (record: ObjectNode) => ObjectNode): Node {
  if (isObject(node)) return change(node);
  if (node === null || typeof node !== "object" || node.kind !== "array") return node;
  return { kind: "array", items: node.items.map((item) => (isObject(item) ? change(item) : item)) };
}

function isObject(node: Node): node is ObjectNode {
  return node !== null && typeof node === "object" && node.kind === "object";
}

/** Puts back all the rest. */
function fillRecord(facts: Facts, members: Members, up: Frame | undefined, room: Room): ObjectNode {
  const places = placesOf(members);
  const made = addMade(facts, members, places, up);
  for (const { weight } of facts.same) room.take(weight);
  for (const [key, value] of made) room.take(weigh(key, value));
  const madePlaces = placesOf(made);
  for (const [key, below] of facts.below) {
    const member = members[places.get(key) ?? -1] ?? made[madePlaces.get(key) ?? -1];
    if (member === undefined) continue;
    const frame = { members, step: key, up };
    member[1] = mapRecords(member[1], (record) => fillRecord(below, record.members, frame, room));
  }
  const same = facts.same.map(({ key, value }): [string, Node] => [key, value]);
  if ([...same, ...made].some(([key]) => places.has(key))) room.misfit();
  return { kind: "object", members: ordered(facts, [...same, ...members, ...made], room) };
}

/** The fields that are made of others, and the records that no row shows anything of. */
function addMade(facts: Facts, members: Members, places: Map<string, number>, up: Frame | undefined): Members {
  const mostly = facts.mostly.filter(([key]) => !places.has(key));
  const made = [...make(facts.made, members, up), ...make(mostly, members, up)];
  for (const [key, { met }] of facts.below) if (!met) made.push([key, { kind: "object", members: [] }]);
  return made;
}

/** The members of a record in order. */
function ordered({ order }: Facts, members: Members, room: Room): Members {
  if (order === undefined) return members;
  if (order === "alphabetical") {
    const spelled = members.map((member) => ({ member, name: JSON.stringify(member[0]).slice(1, -1) }));
    return spelled.sort((one, other) => compare(one.name, other.name)).map(({ member }) => member);
  }
  if (members.some(([key]) => !order.has(key))) room.misfit();
  return members.sort(([one], [other]) => (order.get(one) ?? 0) - (order.get(other) ?? 0));
}

/** Compares by characters; strings themselves compare by UTF-16 units, which puts U+10000 before U+E000. */
function compare(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  return rank(one.charCodeAt(at)) - rank(other.charCodeAt(at));
}

/** The halves of characters behind U+FFFF, which are whole here, rank behind all other units. */
function rank(unit: number): number {
  if (Number.isNaN(unit)) return -1;
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

function make(templates: Template[], members: Members, up: Frame | undefined): Members {
  const made: Members = [];
  for (const [key, parts] of templates) {
    const text = resolve(parts, members, up);
    if (text !== undefined) made.push([key, text]);
  }
  return made;
}

/** The text that a template makes for the record with these members; nothing where a field has none. */
function resolve(parts: Part[], members: Members, up: Frame | undefined): string | undefined {
  let text = "";
  for (const part of parts) {
    const piece = typeof part === "string" ? part : field(...nearest(members, up, part));
    if (piece === undefined) return undefined;
    text += piece;
  }
  return text;
}

/** The innermost record on the way that `steps` goes along, and the steps from there. */
function nearest(members: Members, up: Frame | undefined, steps: string[]): [Members, string[]] {
  if (up === undefined) return [members, steps];
  const [outer, rest] = nearest(up.members, up.up, steps);
  const arrived = outer === up.members && rest[0] === up.step && rest.length > 1;
  return arrived ? [members, rest.slice(1)] : [outer, rest];
}

/** The text of the field that `steps` lead to. */
function field(members: Members, steps: string[]): string | undefined {
  let node: Node | undefined = { kind: "object", members };
  for (const step of steps) {
    if (node === undefined || !isObject(node)) return undefined;
    node = node.members.find(([key]) => key === step)?.[1];
  }
  if (typeof node === "string") return node;
  return node !== null && typeof node === "object" && node.kind === "number" ? node.text : undefined;
}
