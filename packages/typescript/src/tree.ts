/** A JSON value with nothing of it lost, and the two ways out of it. */

/** How deep values may nest, in every form. */
export const MAX_DEPTH = 128;

/** An ordinary value, as `JSON.parse` gives it. */
export type Value = null | boolean | number | string | Value[] | { [key: string]: Value };

/** An exact value: members in order, duplicate keys kept, numbers as text. */
export type Node = null | boolean | string | NumberNode | ArrayNode | ObjectNode;

export interface NumberNode {
  readonly kind: "number";
  readonly text: string;
}

export interface ArrayNode {
  readonly kind: "array";
  readonly items: Node[];
}

export interface ObjectNode {
  readonly kind: "object";
  readonly members: [string, Node][];
}

/** The ordinary value; of members with the same key, the last one counts. */
export function toValue(node: Node): Value {
  if (node === null || typeof node !== "object") return node;
  switch (node.kind) {
    case "number":
      return Number(node.text);
    case "array":
      return node.items.map(toValue);
    case "object":
      // Unlike assignment, this takes `__proto__` for a key like any other.
      return Object.fromEntries(node.members.map(([key, value]) => [key, toValue(value)]));
  }
}

/** The exact value as compact JSON. */
export function toJson(node: Node): string {
  // For strings, JSON.stringify has one spelling, ours: it escapes only what it must, lone surrogates included.
  if (node === null || typeof node !== "object") return JSON.stringify(node);
  switch (node.kind) {
    case "number":
      return node.text;
    case "array":
      return `[${node.items.map(toJson).join(",")}]`;
    case "object":
      return `{${node.members.map(([key, value]) => `${JSON.stringify(key)}:${toJson(value)}`).join(",")}}`;
  }
}
