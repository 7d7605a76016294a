/**
 * Runs the `tersely` program, and speaks to it as to the native part. Calls that return a promise share a process that
 * stays; a call that cannot wait starts one of its own.
 */

"use strict";

const { spawn, spawnSync } = require("node:child_process");

const ARGUMENTS = ["library"];

function encode(head, payload) {
  return Buffer.concat([Buffer.from(`${JSON.stringify({ ...head, bytes: payload.length })}\n`), payload]);
}

/** The first message in `data`, and what follows it; undefined if it is not all there. */
function decode(data) {
  const end = data.indexOf(10);
  if (end < 0) return undefined;
  const head = JSON.parse(data.subarray(0, end).toString());
  const parts = [];
  let place = end + 1;
  for (const length of head.bytes) {
    parts.push(data.subarray(place, place + length));
    place += length;
  }
  return place > data.length ? undefined : { head, parts, rest: data.subarray(place) };
}

function checked({ head, parts }) {
  if (head.error !== undefined) throw new Error(`${head.kind}: ${head.error}`);
  return { head, parts };
}

function reply({ head, parts }) {
  return { about: JSON.stringify(head.about), payload: parts[0].toString() };
}

exports.Process = class Process {
  #program;
  #child;
  #waiting = [];

  constructor(program) {
    this.#program = program;
  }

  call(operation, options, payload) {
    const input = encode({ operation, options: JSON.parse(options) }, Buffer.from(payload));
    const done = spawnSync(this.#program, ARGUMENTS, { input, maxBuffer: 1 << 30, stdio: ["pipe", "pipe", "ignore"] });
    const answer = done.error === undefined ? decode(done.stdout) : undefined;
    if (answer === undefined) throw new Error("unavailable: the tersely program does not start");
    return reply(checked(answer));
  }

  async callAsync(operation, options, payload) {
    return reply(await this.ask({ operation, options: JSON.parse(options) }, Buffer.from(payload)));
  }

  async open(options, body) {
    const { head, parts } = await this.ask({ operation: "open", options: JSON.parse(options) }, Buffer.from(body));
    const exchange = head.exchange === undefined ? undefined : new RemoteExchange(this, head.exchange);
    return { about: JSON.stringify(head.about), body: parts[0], exchange };
  }

  ask(head, payload = Buffer.alloc(0)) {
    this.#child ??= this.#start();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#child.ref();
      this.#child.stdin.write(encode(head, payload));
    }).then(checked);
  }

  #start() {
    const child = spawn(this.#program, ARGUMENTS, { stdio: ["pipe", "pipe", "ignore"] });
    let data = Buffer.alloc(0);
    child.stdout.on("data", (more) => {
      data = Buffer.concat([data, more]);
      for (let found = decode(data); found !== undefined; found = decode(data)) {
        data = found.rest;
        this.#waiting.shift().resolve(found);
      }
      // A process that nobody waits for does not keep the program alive.
      if (this.#waiting.length === 0) idle();
    });
    const idle = () => [child, child.stdin, child.stdout].forEach((each) => each.unref());
    const ref = child.ref.bind(child);
    child.ref = () => (ref(), child.stdin.ref(), child.stdout.ref());
    const end = () => {
      if (this.#child === child) this.#child = undefined;
      for (const { reject } of this.#waiting.splice(0)) reject(new Error("unavailable: the tersely program ended"));
    };
    child.on("error", end);
    child.on("exit", end);
    child.stdin.on("error", end);
    return child;
  }
};

class RemoteExchange {
  #process;
  #number;

  constructor(process, number) {
    this.#process = process;
    this.#number = number;
  }

  async begin(contentType) {
    await this.#step({ operation: "begin", content_type: contentType });
  }

  async see(data) {
    return (await this.#step({ operation: "see" }, Buffer.from(data))).parts[0];
  }

  async end() {
    const { head, parts } = await this.#step({ operation: "end" });
    if (!head.sends) await this.#step({ operation: "close" });
    return { out: parts[0], send: head.sends ? parts[1] : undefined };
  }

  async fail(status, message) {
    const out = (await this.#step({ operation: "fail", status, message })).parts[0];
    await this.#step({ operation: "close" });
    return out;
  }

  #step(head, payload) {
    return this.#process.ask({ ...head, exchange: this.#number }, payload);
  }
}
