"use strict";
const path = require("node:path");
const { isMainThread } = require("node:worker_threads");

/*
 * Before anything of Playwright is loaded: older versions name files by the folder that they are loaded in, newer ones look for a
 * tsconfig.json above each file that is loaded after them. Threads have neither need.
 */
if (isMainThread) {
  process.chdir(path.join(process.env.OUTPOST_RUN, "work"));
  require(process.env.OUTPOST_EGRESS);
}
