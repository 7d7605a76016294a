/** Times `compress` over request bodies, one a line, for speed.py: prints seconds for all but the first. */

import process from "node:process";
import { createInterface } from "node:readline";
import { compress } from "tersely";

let seconds = 0;
let count = 0;
for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const { model, messages, input } = JSON.parse(line);
  const start = performance.now();
  compress(messages ?? input, { model });
  if (count > 0) seconds += (performance.now() - start) / 1e3;
  count += 1;
}
console.log(seconds);
