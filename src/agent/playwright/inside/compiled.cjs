"use strict";
const { writeFileSync } = require("node:fs");
const { enableCompileCache, flushCompileCache } = require("node:module");

const { OUTPOST_COMPILED: folder, OUTPOST_COMPILES: made } = process.env;

module.exports = { useCompiled, keepCompiled };

/** What Node.js compiled of the runtime, or of a suite's packages, before: a folder that no run may write. Older ones keep nothing. */
function useCompiled() {
  const known = made ?? folder;
  if (flushCompileCache !== undefined && known !== undefined) enableCompileCache(known);
}

/**
 * For the pairs after this one, where there is none yet: before any code of others is in this process. The agent takes the folder away once
 * all that wait have said that theirs is in it.
 */
function keepCompiled(name) {
  if (made === undefined || flushCompileCache === undefined) return;
  flushCompileCache();
  writeFileSync(`${made}.${name}`, "");
}
