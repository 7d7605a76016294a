/** Holds the installed TypeScript package to the documents that `crates/codec/tests/packages.rs` writes. */

import { readFileSync } from "node:fs";

import { toJson } from "tersely";

const FORMS = ["stc", "terse"];

/** True when the document comes back from its text in `form`, be the form named or found out. */
function reads(pair, form, named) {
  let found;
  try {
    found = toJson(pair[form], named);
  } catch (fault) {
    found = String(fault);
  }
  if (found !== pair.json) console.log(`${pair.name} as ${form}: ${found.slice(0, 200)}`);
  return found === pair.json;
}

const pairs = readFileSync(process.argv[2], "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));
const tries = pairs.flatMap((pair) => FORMS.flatMap((form) => [form, undefined].map((named) => reads(pair, form, named))));
const faults = tries.filter((read) => !read).length;
console.log(`${pairs.length} documents in ${FORMS.join(" and ")}: ${faults} faults`);
if (faults > 0) process.exit(1);
