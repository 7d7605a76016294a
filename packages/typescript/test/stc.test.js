/** Holds the STC reader to the vectors that every implementation shares, and to hostile input. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { DecodeError, decode, toJson } from "tersely";

const VECTORS = JSON.parse(readFileSync(new URL("../../../spec/vectors/stc.json", import.meta.url), "utf8"));

function check(section, member) {
  assert.ok(VECTORS[section].length > 0);
  for (const vector of VECTORS[section]) {
    assert.equal(toJson(vector[member]), vector.json, vector.name);
    assert.deepEqual(decode(vector[member]), JSON.parse(vector.json), vector.name);
  }
}

function fault(text) {
  try {
    decode(text);
  } catch (error) {
    assert.ok(error instanceof DecodeError, String(error));
    return error;
  }
  assert.fail(`no fault in ${text.slice(0, 40)}`);
}

test("accepted text reads as its JSON", () => check("accept", "stc"));

test("other spellings read the same", () => check("decode_only", "stc"));

test("tight text reads the same", () => check("tight", "stc"));

test("JSON reads as itself", () => ["accept", "decode_only", "tight"].forEach((section) => check(section, "json")));

test("rejected text is rejected", () => VECTORS.reject.forEach((vector) => fault(vector.stc)));

test("values are ordinary", () => {
  const text = '{i: 12, f: 1.50, e: 1E2, n: null, b[2]: true,false, "é": "\\u00e9\\/"}';
  assert.deepEqual(decode(text), { i: 12, f: 1.5, e: 100, n: null, b: [true, false], é: "é/" });
  assert.deepEqual(decode("{a: 1, b: 2, a: {c: 3}}"), { a: { c: 3 }, b: 2 });
  assert.deepEqual(Object.keys(decode("{__proto__: {x: 1}}")), ["__proto__"]);
  assert.equal({}.x, undefined);
});

test("strings have one spelling", () => {
  assert.equal(toJson('"\\u00E9\\/\\u000A\\u001F\\ud83d\\ude00\\uD83D\\u007f"'), '"é/\\n\\u001f😀\\ud83d\x7f"');
  assert.equal(toJson('"\\ud83d\\ud83d\\ude00\\ude00\\b\\f\\r\\t\\"\\\\"'), '"\\ud83d😀\\ude00\\b\\f\\r\\t\\"\\\\"');
});

test("a form can be named", () => {
  assert.deepEqual(decode("[1]: 2", "stc"), [2]);
  assert.equal(toJson("[1]: 2.0", "stc"), "[2.0]");
  assert.throws(() => decode("[1]: 2", "xml"), /unknown form 'xml'/);
});

test("faults say where and what", () => {
  for (const [text, message] of [
    ["", "line 1, column 1: expected a value, found the end"],
    ["[2]: 1", "line 1, column 7: expected ',' and value 2 of 2, found the end"],
    ["[2]: 1,2,3", "line 1, column 9: expected the end of the document, found ','"],
    ["[2]{a}:\n1 ,", "line 2, column 3: expected '/' and row 2 of 2, found ','"],
    ["[0]: ", "line 1, column 2: expected a count from 1 to 999999999, found '0'"],
    ['[1]{a, "\\u0061"}: 1,2', "line 1, column 8: expected a column that is not there yet, found '\"'"],
    ["{a[1]: [1]}", "line 1, column 8: expected a string, a number, true, false or null, found '['"],
    ["{a: 01}", "line 1, column 5: expected a number, found '0'"],
    ["{a: 1.}", "line 1, column 5: expected a number, found '1'"],
    ['"a\nb"', "line 1, column 3: expected the closing quote of a string, found the end of the line"],
    ['"😀\\x"', "line 1, column 3: expected an escape that JSON knows, found '\\\\'"],
    ["\ufeff1", "line 1, column 1: expected a value, found '\\u{feff}'"],
  ]) {
    assert.equal(fault(text).message, message, text);
  }
  const { name, line, column, expected, found } = fault("[1,\n é]");
  assert.deepEqual([name, line, column, expected, found], ["DecodeError", 2, 2, "a value", "'é'"]);
});

test("depth is bounded", () => {
  for (const [inner, most] of [["", 128], ["{a: 1}", 127], ["{a[1]: 1}", 126], ["{a[1]{b}: 1}", 125]]) {
    const nest = (levels) => "[".repeat(levels) + inner + "]".repeat(levels);
    decode(nest(most));
    assert.equal(fault(nest(most + 1)).expected, "at most 128 levels");
  }
});

test("hostile input fails fast", () => {
  for (const text of [
    "{a[999999999]: 1}",
    "[999999999]{a,b}: 1,2",
    "[".repeat(10_000_000),
    "{a:".repeat(1_000_000),
    "[" + "1".repeat(10_000_000),
    "[" + " ".repeat(10_000_000),
    '"' + "\\".repeat(9_999_999),
    "[1]{" + Array.from({ length: 100_000 }, (_, column) => `c${column}`).join(","),
  ]) {
    fault(text);
  }
});
