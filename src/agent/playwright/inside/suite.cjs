"use strict";
/*
 * First in the runner of a suite and in each of its workers; whatever else they start is in the same fence. The suite's own Playwright runs
 * here: nothing of it is replaced but which browser it starts.
 */
const { readFileSync, writeFileSync } = require("node:fs");
const path = require("node:path");
const { isMainThread } = require("node:worker_threads");

require("./compiled.cjs").useCompiled();
const { OUTPOST_EGRESS: egress, OUTPOST_RUN: run, OUTPOST_RUNNER: isRunner } = process.env;

if (isMainThread && isRunner !== undefined) beginRunner();
else if (isMainThread && process.send !== undefined && run !== undefined) require("./worker.cjs");

function beginRunner() {
  const known = require("./job.cjs");
  const { nowMs } = require("./time-left.cjs");
  const { holdEgress, openWay, reachBy } = require(egress);
  holdEgress();
  require("./own-ports.cjs")(openWay);
  require("./without-shell.cjs")();
  const { env, folder, work, ...job } = JSON.parse(readFileSync(3, "utf8")); // waits until the agent has written it and closed its end
  const testsMs = job.limitMs - job.evidenceMs;
  known.job = { ...job, run, work, isSuite: true, testsEndMs: nowMs() + testsMs };
  writeFileSync(path.join(run, "job.json"), JSON.stringify(known.job)); // for the workers
  reachBy(job.proxy);
  delete process.env.OUTPOST_RUNNER;
  Object.assign(process.env, env, { OUTPOST_LATE: "1" });
  process.chdir(folder);
  giveBrowser(process.env.OUTPOST_RUNTIME); // to what is set up for all tests
  // Reports and traces are written after it; a set-up that hangs is not ended by a test's time-out.
  setTimeout(() => process.emit("SIGINT"), testsMs).unref();
}

function giveBrowser(runtime) {
  const core = require.resolve("playwright-core", {
    paths: [path.join(runtime, "node_modules/playwright"), path.join(runtime, "node_modules/@playwright/test")],
  });
  require("./own-browser.cjs")(require(core));
}
