#!/usr/bin/env node
/** Starts the `tersely` program of this platform, hands signals on to it, and ends as it ends. */

import { spawn } from "node:child_process";
import { createRequire } from "node:module";

const { arch, platform } = process;

/** A static program runs on every Linux, so it stands in where the other is missing. */
function candidates() {
  const name = `@tersely/${platform}-${arch}`;
  if (platform !== "linux") return [name];
  return hasGlibc() ? [`${name}-gnu`, `${name}-musl`] : [`${name}-musl`];
}

function hasGlibc() {
  process.report.excludeNetwork = true;
  return Boolean(process.report.getReport().header.glibcVersionRuntime);
}

function find() {
  const require = createRequire(import.meta.url);
  const file = platform === "win32" ? "tersely.exe" : "tersely";
  for (const name of candidates()) {
    try {
      return require.resolve(`${name}/bin/${file}`);
    } catch {
      // Not installed: npm takes the one that fits, and none with --omit=optional.
    }
  }
  return undefined;
}

function start(program) {
  let child;
  // A terminal sends these to the child as well: handed on they would arrive twice.
  const fromTerminal = ["SIGINT", "SIGQUIT"];
  // Before the child is there: a signal that comes in between must not leave it behind alone.
  for (const signal of ["SIGTERM", "SIGHUP", ...fromTerminal]) {
    process.on(signal, () => {
      if (!(process.stdin.isTTY && fromTerminal.includes(signal))) child.kill(signal);
    });
  }
  child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
  child.on("error", (fault) => fail(`${program} does not start: ${fault.message}`));
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function fail(why) {
  console.error(`error: ${why}`);
  process.exit(2);
}

const program = find();
if (program === undefined) {
  fail(`no program for ${platform} ${arch}: install again without --omit=optional, or another way (https://github.com/tersely/tersely/blob/main/docs/install.md)`);
} else {
  start(program);
}
