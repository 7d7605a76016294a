/** Holds the readers of what `tersely compress` writes to the vectors that every implementation shares. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { DecodeError, decode, restore, toJson } from "tersely";

// What is read here is read in JavaScript: without the native part, and without the program.
process.env.TERSELY_PACKAGE_CORE = "none";

const read = (name) => JSON.parse(readFileSync(new URL(`../../../spec/vectors/${name}.json`, import.meta.url), "utf8"));
const LAYOUT = read("layout");
const GENERAL = read("general");
const HEAD = "[Shorter notation.]\n";
const END = "\n[layout1 general]";

function fault(text, reader = decode) {
  try {
    reader(text);
  } catch (error) {
    assert.ok(error instanceof DecodeError, String(error));
    return error;
  }
  assert.fail(`no fault in ${text.slice(0, 60)}`);
}

test("accepted text comes back", () => {
  assert.ok(LAYOUT.accept.length > 0 && GENERAL.accept.length > 0);
  for (const { name, text, original } of [...LAYOUT.accept, ...GENERAL.accept]) {
    assert.equal(restore(text), original, name);
  }
});

test("accepted text reads as its JSON", () => {
  for (const vector of LAYOUT.accept) {
    for (const end of ["", "\n"]) {
      assert.equal(toJson(vector.text + end), vector.json, vector.name);
      assert.deepEqual(decode(vector.text + end), JSON.parse(vector.json), vector.name);
    }
  }
});

test("what only the program reads says so", () => {
  for (const { name, text } of LAYOUT.program_only) {
    for (const reader of [decode, restore]) assert.match(fault(text, reader).message, /tersely decode/, name);
  }
});

test("rejected text is rejected", () => {
  for (const { text } of [...LAYOUT.reject, ...GENERAL.reject]) [decode, restore].forEach((reader) => fault(text, reader));
});

test("JSON in the general form is a value", () => {
  const text = `${HEAD}A {id} = {id:{id},kind:plant}\n[The text:]\n2 records\nA 1\nA 2\n[layout1 general json: compact]`;
  assert.deepEqual(decode(text), [{ id: 1, kind: "plant" }, { id: 2, kind: "plant" }]);
  assert.deepEqual(decode(`${HEAD}Γ "a"\n[The text:]\n{Γ:[1,2]}${END}`), { a: [1, 2] });
});

test("a text that is not signed comes back as it is", () => {
  for (const text of ["", "\n", "x", "\ufeffx\n", '{"a":1}', "[layout1 x]", "a\n[layout1 x]\n\n", "a\n[layout1]"]) {
    assert.equal(restore(text), text);
  }
  assert.match(fault("<<<SHADOW:shadow_0123456789abcdef0123456789abcdef>>>\nx", restore).message, /tersely decode/);
});

test("faults say where and what", () => {
  for (const [text, message] of [
    [
      "src/a.rs:\n 1: x\n[layout1 search: by: file]",
      "line 3, column 10: expected general, general json, json or text (the program reads every other: tersely decode), found 'search'",
    ],
    ["a: 1\n[layout1 json: loose]", "line 2, column 10: expected a layout that is written, found 'json: loose'"],
    [`x${END}`, "line 1, column 1: expected '[Shorter notation.', found 'x'"],
    [
      `${HEAD}Γ x\nA {1},{2} = {1}\n[The text:]\nplain\nA 1${END}`,
      "line 6, column 1: expected 2 values, found 'A 1'",
    ],
    [`${HEAD}A {1} = {1}\n[The text:]\nA ×3:\n1${END}`, "line 5, column 1: expected 2 more rows, found the end"],
    [
      `${HEAD}A = x\n[The text:]\nA ×99999999${END}`,
      "line 4, column 1: expected a text that grows to at most 256 times its bytes, found a larger one",
    ],
  ]) {
    assert.equal(fault(text).message, message, text);
  }
});

test("a named form has no such line", () => {
  assert.throws(() => decode(LAYOUT.accept[0].text, "terse"), DecodeError);
});

test("hostile input fails fast", () => {
  const began = Date.now();
  const many = Array.from({ length: 50_000 }, (_, n) => `{${n}}`).join(",");
  for (const text of [
    "\n[layout1 ".repeat(100_000) + "]",
    "x\n[layout1 " + ": ".repeat(100_000) + "]",
    "\n".repeat(1_000_000) + "[layout1 json]",
    "x\n[layout1 json: indent 2, except" + " 1".repeat(100_000) + "]",
    'x\n[layout1 json: compact, begins "' + " ".repeat(100_000) + "]",
    HEAD + "Γ x\n".repeat(100_000) + "A" + END,
    HEAD + "Γ " + "x".repeat(100_000) + "\n[The text:]\n" + "Γ".repeat(100_000) + END,
    HEAD + "A = x\n".repeat(100_000) + END,
    HEAD + "A" + " {".repeat(100_000) + " = {1}\n[The text:]\nA" + END,
    HEAD + "A {1} = " + "{".repeat(100_000) + "}\n[The text:]\nA ×9:" + END,
    HEAD + "A " + many + " = " + "{49999}".repeat(9_000) + "\n[The text:]\nA" + END,
    HEAD + "A {1} = " + "{1}".repeat(5_000) + "\n[The text:]\n" + "A\n".repeat(5_000) + END,
    HEAD + "A {1} = " + "{1:>9999}".repeat(5_000) + "\n[The text:]\n" + "A x\n".repeat(5_000) + END,
    HEAD + "A = " + "9".repeat(100_000) + " lines:\n[The text:]\nA ×" + "9".repeat(100_000) + END,
    HEAD + "A = " + " | x\n".repeat(100_000) + END,
    HEAD + "A = \n[The text:]\n" + "A ×99999999\n".repeat(9) + END,
  ]) {
    fault(text, restore);
  }
  assert.ok(Date.now() - began < 30_000);
});

test("layouts take no more than there is room for", () => {
  const text = "[".repeat(120) + "{a:1},".repeat(20_000) + "{a:1}" + "]".repeat(120) + "\n[layout1 json: indent 16]";
  assert.match(fault(text, restore).message, /grows/);
});
