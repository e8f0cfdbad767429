"use strict";
const path = require("node:path");
const { isMainThread } = require("node:worker_threads");
const { useCompiled } = require("./compiled.cjs");

/* Before anything of Playwright is loaded: older versions name files by the folder that they are loaded in. Threads cannot change theirs. */
if (isMainThread) {
  useCompiled();
  process.chdir(path.join(process.env.OUTPOST_RUN, "work"));
}
