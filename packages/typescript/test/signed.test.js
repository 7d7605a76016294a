/** Holds the reader of what `tersely compress` makes of JSON to the vectors that every implementation shares. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { DecodeError, decode, toJson } from "tersely";

const VECTORS = JSON.parse(readFileSync(new URL("../../../spec/vectors/layout.json", import.meta.url), "utf8"));

function fault(text) {
  try {
    decode(text);
  } catch (error) {
    assert.ok(error instanceof DecodeError, String(error));
    return error;
  }
  assert.fail(`no fault in ${text.slice(0, 40)}`);
}

test("accepted text reads as its JSON", () => {
  assert.ok(VECTORS.accept.length > 0);
  for (const vector of VECTORS.accept) {
    for (const end of ["", "\n"]) {
      assert.equal(toJson(vector.text + end), vector.json, vector.name);
      assert.deepEqual(decode(vector.text + end), JSON.parse(vector.json), vector.name);
    }
  }
});

test("what only the program reads says so", () => {
  for (const vector of VECTORS.program_only) assert.match(fault(vector.text).message, /tersely decode/, vector.name);
});

test("rejected text is rejected", () => VECTORS.reject.forEach((vector) => fault(vector.text)));

test("faults say where and what", () => {
  for (const [text, message] of [
    [
      "src/a.rs:\n 1: x\n[layout1 search: by: file]",
      "line 3, column 10: expected json or json lines (the program reads every other: tersely decode), found 'search'",
    ],
    ["a: 1\n[layout1 json lines]", "line 1, column 1: expected a list of documents, found 'a: 1'"],
  ]) {
    assert.equal(fault(text).message, message, text);
  }
});

test("a named form has no such line", () => {
  assert.throws(() => decode(VECTORS.accept[0].text, "terse"), DecodeError);
});

test("hostile input fails fast", () => {
  for (const text of ["\n[layout1 ".repeat(100_000) + "]", "x\n[layout1 " + ": ".repeat(100_000) + "]", "\n".repeat(1_000_000) + "[layout1 json]"]) {
    fault(text);
  }
});
