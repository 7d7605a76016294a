// Fails as a server does: an error with a cause, and a promise that nobody waits for.
import { readFile } from "node:fs/promises";

class ConfigError extends Error {
  constructor(message, options) {
    super(message, options);
    this.name = "ConfigError";
    this.code = "E_CONFIG";
  }
}

async function settings(path) {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch (cause) {
    throw new ConfigError(`cannot read settings from ${path}`, { cause });
  }
}

async function start(paths) {
  const results = await Promise.allSettled(paths.map(settings));
  for (const result of results) {
    if (result.status === "rejected") console.error(result.reason);
  }
  const pool = { size: 4, idle: [], waiting: new Map([["orders", 3], ["stock", 1]]) };
  console.error("pool before the end:", pool);
  pool.connect();
}

await start(["missing.json", "package.json", "cart.js"]);
