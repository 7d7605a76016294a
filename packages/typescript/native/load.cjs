/** Finds what does the work: the native part of this platform's package, or else the program that is in it. */

"use strict";

const { arch, env, platform } = process;

/** A static program runs on every Linux, so it stands in where the other is missing. */
function packages() {
  const name = `@tersely/${platform}-${arch}`;
  if (platform !== "linux") return [name];
  return hasGlibc() ? [`${name}-gnu`, `${name}-musl`] : [`${name}-musl`];
}

function hasGlibc() {
  process.report.excludeNetwork = true;
  return Boolean(process.report.getReport().header.glibcVersionRuntime);
}

/** The first that `find` returns for a package of this platform. */
function first(find) {
  for (const name of packages()) {
    try {
      return find(name);
    } catch {
      // Not installed: npm takes the one that fits, and none with --omit=optional.
    }
  }
  return undefined;
}

/** Where the program is. */
exports.program = function program() {
  const file = platform === "win32" ? "tersely.exe" : "tersely";
  return env.TERSELY_PROGRAM ?? first((name) => require.resolve(`${name}/bin/${file}`));
};

let core;

/**
 * The native part, or the program as a process that answers the same calls; undefined where there is neither. Tests
 * choose by a variable.
 */
exports.core = function find() {
  if (env.TERSELY_PACKAGE_CORE === "none") return undefined;
  core ??= (env.TERSELY_PACKAGE_CORE === "program" ? undefined : native()) ?? process_();
  return core;
};

function native() {
  try {
    if (env.TERSELY_NATIVE) return require(env.TERSELY_NATIVE);
  } catch {
    return undefined;
  }
  return first((name) => require(`${name}/tersely.node`));
}

function process_() {
  const program = exports.program();
  return program === undefined ? undefined : new (require("./process.cjs").Process)(program);
}
