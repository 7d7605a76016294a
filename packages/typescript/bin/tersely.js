#!/usr/bin/env node
/** Starts the `tersely` program of this platform, hands signals on to it, and ends as it ends. */

import { spawn } from "node:child_process";
import load from "../native/load.cjs";

const { arch, platform } = process;

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

const program = load.program();
if (program === undefined) {
  fail(`no program for ${platform} ${arch}: install again without --omit=optional, or another way (https://github.com/tersely/tersely/blob/main/docs/install.md)`);
} else {
  start(program);
}
