/** Holds the installed TypeScript package to what `packages.rs` of crates/codec and of crates/testing write. */

import { readFileSync } from "node:fs";

import { restore, toJson } from "tersely";

const FORMS = ["stc", "terse"];

const lines = (path) => readFileSync(path, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));

/** What `read` makes of a text, or the fault that it finds. */
function found(read) {
  try {
    return read();
  } catch (fault) {
    return String(fault);
  }
}

/** True when the document comes back from its text in `form`, be the form named or found out. */
function reads(pair, form, named) {
  const json = found(() => toJson(pair[form], named));
  if (json !== pair.json) console.log(`${pair.name} as ${form}: ${json.slice(0, 200)}`);
  return json === pair.json;
}

/** What becomes of an output as it is sent. */
function restored({ name, original, sent }) {
  const text = found(() => restore(sent));
  if (text === original) return "restored";
  if (text.startsWith("DecodeError: ") && text.includes("tersely decode")) return "program";
  console.log(`${name} came back as ${text.slice(0, 200)}`);
  return "wrong";
}

const [, , pairs, outputs] = process.argv;
const documents = lines(pairs);
const tries = documents.flatMap((pair) => FORMS.flatMap((form) => [form, undefined].map((named) => reads(pair, form, named))));
const faults = tries.filter((read) => !read).length;
console.log(`${documents.length} documents in ${FORMS.join(" and ")}: ${faults} faults`);
const ends = lines(outputs).map(restored);
const count = (end) => ends.filter((other) => other === end).length;
console.log(`${count("restored")} outputs restored, ${count("program")} for the program to restore, ${count("wrong")} wrong`);
if (faults > 0 || count("wrong") > 0 || count("restored") === 0) process.exit(1);
