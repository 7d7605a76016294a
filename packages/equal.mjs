/** Holds `compress` in process to what equal.py wrote: the bytes of `tersely compress --body`, and back. */

import assert from "node:assert/strict";
import { createReadStream } from "node:fs";
import process from "node:process";
import { createInterface } from "node:readline";
import { compress, restore } from "tersely";

const { core } = (await import("tersely/native")).default;

let count = 0;
for await (const line of createInterface({ input: createReadStream(process.argv[2], "utf8"), crlfDelay: Infinity })) {
  const { name, format, place, text, sent } = JSON.parse(line);
  const { payload } = core().call("request", JSON.stringify({ provider: format }), text);
  assert.ok(payload === sent, `${name}: differs`);
  const { model, [place]: messages } = JSON.parse(text);
  const small = compress(messages, { model, format, loss: "none" });
  assert.deepEqual(restore(small.messages, format), messages, name);
  count += 1;
}
assert.ok(count > 0);
console.log(`${count} requests: 0 differ`);
