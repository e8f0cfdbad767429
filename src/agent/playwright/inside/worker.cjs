"use strict";
/*
 * In a worker, before its job is known: loads what the worker will load, and watches through public interfaces of Playwright and Node.js
 * only. Code of others runs here later, so nothing that is recorded is believed.
 */
const { existsSync, readFileSync, realpathSync } = require("node:fs");
const path = require("node:path");
const { compileFunction } = require("node:vm");
const { isMainThread } = require("node:worker_threads");
const { keepCompiled } = require("./compiled.cjs");
const { startModules, withholdModules } = require("./ecmascript-modules.cjs");
const known = require("./job.cjs");
const { loadForWorker } = require("./used-soon.cjs");
const partsOf = require("./versions.cjs");

if (isMainThread) prepare(); // Playwright's thread of its own preloads this, too

function prepare() {
  const { OUTPOST_RUNTIME: runtime, OUTPOST_EGRESS: egress, OUTPOST_RUN: run, OUTPOST_LATE: late, OUTPOST_PAGES: pages } = process.env;
  const { holdEgress, openWay, reachBy } = require(egress);
  holdEgress();
  const { lib: named, loads, modules } = partsOf(runtime);
  const lib = existsSync(named) ? realpathSync(named) : named; // as its own files are called in stacks
  const start = (message) => {
    begin(message, reachBy, modules);
    if (known.job.isSuite) require("./own-ports.cjs")(openWay); // a test may have a server
  };
  if (late === undefined) process.on("message", (message) => message.method === "outpost" && start(message));
  else start({ env: process.env, job: JSON.parse(readFileSync(path.join(run, "job.json"), "utf8")) });

  require("./show-certificates.cjs")(); // before Playwright, whose older versions keep the functions that they find
  /** As the packages of the runtime see it: each may have a Playwright of its own. */
  const folder = path.join(runtime, "node_modules/playwright");
  const core = load(() => require.resolve("playwright-core", { paths: [folder] }));
  const tests = load(() => path.join(runtime, "node_modules/@playwright/test"));
  require("./watch-console.cjs")();
  require("./watch-requests.cjs")();
  if (tests !== undefined) {
    loadedAsPlaywrights("soft-errors.cjs", lib)(tests, path.join(runtime, "node_modules/@playwright/test/index.js"));
    require("./time-left.cjs").endTests(tests.test);
  }
  if (core !== undefined) {
    const timeAnswers = loadedAsPlaywrights("time-answers.cjs", lib);
    const { newContext } = core.request;
    core.request.newContext = async (...given) => {
      const context = await newContext.apply(core.request, given);
      timeAnswers(context);
      return context;
    };
    require("./own-browser.cjs")(core);
  }
  for (const file of loads) load(() => file);
  if (known.job?.isSuite !== true) loadForWorker(lib, pages !== undefined);
  require("./led.cjs"); // before Playwright compiles what a test loads: that costs more than the whole file
  if (late === undefined) keepCompiled("worker"); // a suite's keep it as they end, with what the test used
}

/** Frames of its folder are left out where Playwright shows a line of the script. */
function loadedAsPlaywrights(name, lib) {
  const made = { exports: {} };
  const text = readFileSync(path.join(__dirname, name), "utf8");
  compileFunction(text, ["module", "require"], { filename: path.join(lib, name) })(made, require);
  return made.exports;
}

function begin({ env, job }, reachBy, modules) {
  known.job = job;
  for (const name of Object.keys(process.env)) if (!(name in env) || name.startsWith("OUTPOST_")) delete process.env[name];
  for (const [name, value] of Object.entries(env)) if (!name.startsWith("OUTPOST_")) process.env[name] = value;
  reachBy(job.proxy);
  if (modules === null || job.isSuite) return; // a suite's own Playwright decides
  if (job.hasModules) startModules(modules);
  else withholdModules();
}

/** What a version does not have is not missed. */
function load(file) {
  try {
    return require(file());
  } catch {
    return undefined;
  }
}
