/** Reads a header and the rows below it. */

import * as flow from "./flow.js";
import type { Scan } from "./scan.js";
import { MAX_DEPTH, type ArrayNode, type Node, type ObjectNode } from "./tree.js";

/** One column of a header. */
export interface Column {
  readonly key: string;
  /** What its cells are: values, the cells of a record, or lists with records in parentheses. */
  readonly holds: "value" | "record" | "list";
  /** The columns of the records inside this one. */
  readonly inside: Column[];
}

/** A header and the end of its line. */
export function header(scan: Scan, keyed: boolean): Column[] {
  if (keyed && !scan.eat("key: ")) scan.fail("'key: ' and a header");
  const found = columns(scan, MAX_DEPTH);
  if (!scan.eat("\n")) scan.fail("',' or the end of the header");
  return found;
}

function columns(scan: Scan, groups: number): Column[] {
  const found: Column[] = [];
  const keys = new Set<string>();
  do {
    const key = flow.key(scan);
    if (keys.has(key) && found.at(-1)?.key !== key) scan.fail("each field once");
    keys.add(key);
    found.push(column(scan, key, groups));
  } while (scan.eat(","));
  return found;
}

function column(scan: Scan, key: string, groups: number): Column {
  const open = scan.peek();
  if (open !== "{" && open !== "[") return { key, holds: "value", inside: [] };
  if (groups === 0) scan.fail("fewer levels");
  scan.eat(open);
  const inside = columns(scan, groups - 1);
  const close = open === "{" ? "}" : "]";
  if (!scan.eat(close)) scan.fail(`',' or '${close}'`);
  return { key, holds: open === "{" ? "record" : "list", inside };
}

/** The cells of one row. */
export function row(scan: Scan, columns: Column[], levels: number): ObjectNode {
  const reader = new Row(scan);
  const members = reader.members(columns, levels);
  if (scan.peek() === ",") scan.fail("the end of the row");
  if (reader.cells === 0) scan.fail("a cell");
  return { kind: "object", members };
}

/** A row being read. */
class Row {
  cells = 0;
  private first = true;
  /** True behind the last cell: all further columns are empty. */
  private ended = false;

  constructor(private readonly scan: Scan) {}

  /** The members that the cells of `columns` make. */
  members(columns: Column[], levels: number): [string, Node][] {
    const members: [string, Node][] = [];
    for (const column of columns) {
      if (this.ended) break;
      const node = this.node(column, levels);
      if (node === undefined) continue;
      if (members.at(-1)?.[0] === column.key) this.scan.fail("one value for each field");
      members.push([column.key, node]);
    }
    return members;
  }

  /** What a row has in `column`, if anything. */
  private node(column: Column, levels: number): Node | undefined {
    if (column.holds === "record") {
      const members = this.members(column.inside, Math.max(levels - 1, 0));
      return members.length > 0 ? { kind: "object", members } : undefined;
    }
    if (!this.hasCell()) return undefined;
    const listed = column.holds === "list" && this.scan.peek() === "[";
    return listed ? list(this.scan, column.inside, levels) : flow.value(this.scan, levels);
  }

  /** Goes to the next cell; false when it is empty. */
  private hasCell(): boolean {
    if (!this.first && !this.scan.eat(",")) {
      this.ended = true;
      return false;
    }
    this.first = false;
    const next = this.scan.peek();
    if (next === ",") return false;
    if (next === "" || next === "\n" || next === ")") this.scan.fail("a cell");
    this.cells += 1;
    return true;
  }
}

/** A list, its bracket next, whose records may stand in parentheses. */
function list(scan: Scan, columns: Column[], levels: number): ArrayNode {
  if (levels < 2) scan.fail("fewer levels");
  const items: Node[] = [];
  scan.eat("[");
  while (!scan.eat("]")) {
    if (items.length > 0 && !scan.eat(",")) scan.fail("',' or ']'");
    if (scan.eat("(")) {
      items.push(row(scan, columns, levels - 2));
      if (!scan.eat(")")) scan.fail("',' or ')'");
    } else {
      items.push(flow.value(scan, levels - 1));
    }
  }
  return { kind: "array", items };
}
