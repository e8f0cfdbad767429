"use strict";
const path = require("node:path");

/**
 * Playwright then starts no thread that compiles ECMAScript modules: in runner and worker it costs more than all else that is loaded. For versions
 * that can start it later.
 */
const withoutModules = { PW_DISABLE_TS_ESM: "1" };

module.exports = { needModules, startModules, withoutModules };

/** Whether a script needs that thread: it is a module by its name or package, or imports one as it goes on. */
function needModules(files) {
  return files.some(
    ({ path: name, content }) =>
      /\.m[jt]sx?$/.test(name) ||
      (path.posix.basename(name) === "package.json" && /"type"\s*:\s*"module"/.test(content)) ||
      /\bimport\s*\(/.test(content),
  );
}

/** @param host where this version has its thread */
function startModules(host) {
  for (const name of Object.keys(withoutModules)) delete process.env[name];
  const { registerESMLoader, configureESMLoader } = require(host);
  registerESMLoader();
  void configureESMLoader();
}
