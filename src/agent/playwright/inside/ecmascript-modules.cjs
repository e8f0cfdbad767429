"use strict";
const path = require("node:path");

/**
 * With it Playwright starts no thread that compiles ECMAScript modules: in runner and worker it costs more than all else that is loaded. For
 * versions that can start it later; scripts have no use for it.
 */
const switchName = "PW_DISABLE_TS_ESM";

module.exports = { allowModules, needModules, startModules, withholdModules };

function withholdModules() {
  process.env[switchName] = "1";
}

function allowModules() {
  delete process.env[switchName];
}

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
  allowModules();
  const { registerESMLoader, configureESMLoader } = require(host);
  registerESMLoader();
  void configureESMLoader();
}
