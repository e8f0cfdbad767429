"use strict";
/*
 * In a worker, before its job is known: loads what the worker will load, and watches through public interfaces of Playwright and Node.js
 * only. Code of others runs here later, so nothing that is recorded is believed.
 */
const { readFileSync } = require("node:fs");
const path = require("node:path");
const known = require("./job.cjs");

const { OUTPOST_RUNTIME: runtime, OUTPOST_EGRESS: egress, OUTPOST_RUN: run } = process.env;
const { holdEgress, reachBy } = require(egress);
holdEgress();
/** As the packages of the runtime see it: each may have a Playwright of its own. */
const folder = path.join(runtime, "node_modules/playwright");
const core = load(() => require.resolve("playwright-core", { paths: [folder] }));
const tests = load(() => path.join(runtime, "node_modules/@playwright/test"));

if (process.env.TEST_WORKER_INDEX === undefined) process.on("message", begin);
else begin({ method: "outpost", env: process.env, job: JSON.parse(readFileSync(path.join(run, "job.json"), "utf8")) });

require("./watch-console.cjs")();
require("./watch-requests.cjs")();
if (tests !== undefined) require("./soft-errors.cjs")(tests, path.join(runtime, "node_modules/@playwright/test/index.js"));
if (core !== undefined) {
  require("./watch-pages.cjs")(core.chromium, path.dirname(require.resolve("playwright-core", { paths: [folder] })));
  for (const name of ["firefox", "webkit"]) refuse(core[name], name);
}
load(() => path.join(folder, "lib/worker/workerMain.js"));
const compiler = load(() => path.join(folder, "lib/transform/transform.js"));
try {
  // The compiler's own code is compiled by its first use.
  compiler?.transformHook(
    "import { test } from '@playwright/test'; const n: number = 1; test('x', async ({ page }) => {});",
    path.join(run, "tmp/warm.spec.ts"),
  );
} catch {}

function begin({ method, env, job }) {
  if (method !== "outpost") return;
  known.job = job;
  for (const name of Object.keys(process.env)) if (!(name in env) || name.startsWith("OUTPOST_")) delete process.env[name];
  for (const [name, value] of Object.entries(env)) if (!name.startsWith("OUTPOST_")) process.env[name] = value;
  process.chdir(job.work);
  reachBy(job.proxy);
}

/** What a version does not have is not missed. */
function load(file) {
  try {
    return require(file());
  } catch {
    return undefined;
  }
}

function refuse(type, name) {
  for (const way of ["launch", "launchPersistentContext", "launchServer"]) {
    type[way] = () => Promise.reject(new Error(`browserName is "${name}"; this agent has chromium`));
  }
}
