/** Holds the terse reader to the vectors that every implementation shares, and to hostile input. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { DecodeError, decode, toJson } from "tersely";

const VECTORS = JSON.parse(readFileSync(new URL("../../../spec/vectors/terse.json", import.meta.url), "utf8"));

function check(section, member) {
  assert.ok(VECTORS[section].length > 0);
  for (const vector of VECTORS[section]) {
    assert.equal(toJson(vector[member], "terse"), vector.json, vector.name);
    assert.deepEqual(decode(vector[member], "terse"), JSON.parse(vector.json), vector.name);
  }
}

function fault(text) {
  try {
    decode(text, "terse");
  } catch (error) {
    assert.ok(error instanceof DecodeError, String(error));
    return error;
  }
  assert.fail(`no fault in ${text.slice(0, 40)}`);
}

test("accepted text reads as its JSON", () => check("accept", "terse"));

test("other spellings read the same", () => check("decode_only", "terse"));

test("compact JSON reads as itself", () => ["accept", "decode_only"].forEach((section) => check(section, "json")));

test("rejected text is rejected", () => VECTORS.reject.forEach((vector) => fault(vector.terse)));

test("the form need not be named", () => {
  for (const vector of [...VECTORS.accept, ...VECTORS.decode_only]) {
    assert.equal(toJson(vector.terse), vector.json, vector.name);
  }
});

test("values are ordinary", () => {
  const text = "2 rows\nevery row: kind=x\nurl = /{id}\nid,user{name},tags\n1,a b,[1.50,null]\n2,é";
  assert.deepEqual(decode(text), [
    { kind: "x", id: 1, user: { name: "a b" }, tags: [1.5, null], url: "/1" },
    { kind: "x", id: 2, user: { name: "é" }, url: "/2" },
  ]);
});

test("records share nothing", () => {
  const [one, other] = decode("2 records\nfields: a,b\nunless given: b={c:[]}\n{a:1}\n{a:2}");
  one.b.c.push(1);
  assert.deepEqual(other, { a: 2, b: { c: [] } });
});

test("a form can be named", () => {
  assert.deepEqual(decode("a: 1", "terse"), { a: 1 });
  assert.equal(toJson("1 rows\na\n1.0", "terse"), '[{"a":1.0}]');
  assert.throws(() => decode("a: 1", "stc"), DecodeError);
});

test("faults say where and what", () => {
  for (const [text, message] of [
    ["", "line 1, column 1: expected a value, found the end"],
    ["2 rows\na\n1", "line 3, column 2: expected 1 more rows, found the end"],
    ["1 rows\na\n1,2", "line 3, column 2: expected the end of the row, found ','"],
    ["1 rows\na,b\n😀,", "line 3, column 3: expected a cell, found the end"],
    ["a:\n  b: 1", "line 2, column 1: expected members one space further in, found ' '"],
    [
      "1 rows\nevery row: a=1\na\n2",
      "line 4, column 2: expected records that fit the lines above them, found the end",
    ],
    ["2 items\nitem 1: a\nitem 3: b", "line 3, column 1: expected item 2, found 'i'"],
    ["{a:[x y,z(]}", "line 1, column 10: expected ',' or ']', found '('"],
    ["1 rows\nfields: a,a\na\n1", "line 2, column 12: expected each field once, found the end of the line"],
  ]) {
    assert.equal(fault(text).message, message, text);
  }
});

test("depth is bounded", () => {
  const lines = (levels) => Array.from({ length: levels }, (_, depth) => `${" ".repeat(depth)}a:\n`).join("");
  const members = (levels, last) => `${lines(levels)}${" ".repeat(levels)}a: ${last}`;
  decode(members(127, "1"), "terse");
  decode("[".repeat(128) + "]".repeat(128), "terse");
  decode(`1 rows\na\n${"[".repeat(126)}${"]".repeat(126)}`);
  for (const text of [
    members(128, "1"),
    members(127, "[]"),
    "[".repeat(129) + "]".repeat(129),
    `1 rows\na\n${"[".repeat(127)}${"]".repeat(127)}`,
  ]) {
    assert.equal(fault(text).expected, "fewer levels");
  }
});

test("hostile input fails fast", () => {
  const list = (length, part) => Array.from({ length }, (_, index) => part(index));
  for (const text of [
    "999999999 rows\na\n1",
    "999999999 items\nitem 1: 1",
    "[".repeat(10_000_000),
    "{a:".repeat(1_000_000),
    "a:\n".repeat(1_000_000),
    list(1000, (depth) => `${" ".repeat(depth)}a:\n`).join(""),
    "1 rows\n" + "a{".repeat(1_000_000),
    "1 items\nitem 1: ".repeat(1_000_000),
    "1 rows\na" + ",a".repeat(1_000_000) + "\n" + ",".repeat(1_000_000),
    "1 records\nfields of a" + ".a".repeat(1_000_000) + ": b\n{}",
    "1 records\nevery record: a" + ".a".repeat(1_000_000) + "=1\n{}",
    "1 records\nevery record: " + list(200_000, (field) => `a${field}.b=1`).join(", "),
    "1 rows\nb = " + "{".repeat(1_000_000) + "\na\n1,",
    "2000 records\nevery record: a=" + "x".repeat(2000) + "\n{}".repeat(2000),
    "2000 records\na = " + "{b}".repeat(5000) + "\n{b:x}".repeat(2000),
  ]) {
    fault(text);
  }
});
