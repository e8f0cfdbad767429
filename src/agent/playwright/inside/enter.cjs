"use strict";
const path = require("node:path");
const { isMainThread } = require("node:worker_threads");
const { useCompiled } = require("./compiled.cjs");
const { allowModules } = require("./ecmascript-modules.cjs");
const { loadLater } = require("./load-later.cjs");
const partsOf = require("./versions.cjs");

/*
 * Before anything of Playwright is loaded: older versions name files by the folder that they are loaded in, newer ones look for a
 * tsconfig.json above each file that is loaded after them. Threads have neither need.
 */
if (isMainThread) {
  useCompiled();
  process.chdir(path.join(process.env.OUTPOST_RUN, "work"));
  const { modules, hasSmallFiles } = partsOf(process.env.OUTPOST_RUNTIME);
  if (hasSmallFiles) loadLater();
  if (modules === null) allowModules();
  require(process.env.OUTPOST_EGRESS);
  // Of ours what Playwright asks for later, when it would compile each file first.
  require("./configuration.cjs");
  require("./reporter.cjs");
}
