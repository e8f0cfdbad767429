"use strict";
/*
 * What the configuration of the waiting `playwright test` does: loading it is the last thing that Playwright does before it looks for tests, so here the
 * process waits for its job, with all that it needs in memory. `child_process.fork` is replaced, so that the first worker is forked before
 * the wait; where a version forks something else the worker starts cold. When Playwright's files are loaded is changed, too (`load-later.cjs`).
 */
const childProcess = require("node:child_process");
const { mkdirSync, readFileSync, symlinkSync, writeFileSync, writeSync } = require("node:fs");
const path = require("node:path");
const { keepCompiled } = require("./compiled.cjs");
const known = require("./job.cjs");
const { allowModules, needModules, startModules } = require("./ecmascript-modules.cjs");
const { nowMs } = require("./time-left.cjs");
const provideHelpers = require("./provide-helpers.cjs");
const partsOf = require("./versions.cjs");
const record = require("./record.cjs");
const { loadForRunner } = require("./used-soon.cjs");

/** Of a picture without its folder: by its test, and as projects of code have it beside a script. */
const pictureNames = {
  byTest: "{testFilePath}{/projectName}/{testName}/{arg}{ext}",
  ofCode: "{testFilePath}-snapshots/{arg}{-projectName}{-snapshotSuffix}{ext}",
};

module.exports = function configuration() {
  const config = configOf(known.job ?? waitForJob());
  allowModules();
  return config;
};

function waitForJob() {
  const { OUTPOST_RUNTIME: runtime, OUTPOST_EGRESS: egress, OUTPOST_RUN: run } = process.env;
  const { holdEgress, reachBy } = require(egress);
  const parts = partsOf(runtime);
  forkEarly(parts);
  holdEgress(); // the script is loaded here, too, to find its tests
  const work = path.join(run, "work");
  symlinkSync(path.join(runtime, "node_modules"), path.join(work, "node_modules"));
  if (parts.compiler !== null) warmCompiler(parts.compiler, path.join(run, "tmp/warm.spec.ts"));
  loadForRunner(parts.lib);
  keepCompiled("runner");
  writeSync(4, "ready\n");
  const { files, baselines, env, ...job } = JSON.parse(readFileSync(3, "utf8")); // waits until the agent has written it and closed its end
  writeFileSync(path.join(work, "tsconfig.json"), "{}"); // or it is looked for in all folders above
  const write = (file, content) => {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  };
  for (const { path: name, content } of files) write(path.join(work, name), content);
  for (const { name, data } of baselines) write(path.join(work, "__snapshots__", name), Buffer.from(data, "base64"));
  provideHelpers(run, files);
  const hasModules = needModules(files);
  if (hasModules && parts.modules !== null) startModules(parts.modules);
  known.job = { ...job, run, work, hasModules, testsEndMs: nowMs() + job.limitMs - job.evidenceMs };
  if (parts.worker === null) {
    const msg = "this agent does not know this version of Playwright: its tests begin later, and not all that they tell may be seen";
    record("log", { time: Date.now(), level: "WARN", msg });
  }
  writeFileSync(path.join(run, "job.json"), JSON.stringify(known.job)); // for workers that start later
  reachBy(job.proxy);
  for (const name of Object.keys(process.env)) if (name.startsWith("OUTPOST_") && name !== "OUTPOST_RUN") delete process.env[name];
  Object.assign(process.env, env);
  return known.job;
}

/** A failed test ends its worker: later ones start cold, with the same preload. So do all of a version that is unknown. */
function forkEarly({ lib, worker, output }) {
  const { fork } = childProcess;
  const execArgv = [...process.execArgv, "--require", path.join(__dirname, "worker.cjs")];
  const surroundings = { ...process.env };
  const early = worker === null ? null : fork(worker, [], { env: surroundings, execArgv, stdio: ["ignore", output, output, "ipc"] });
  const said = [];
  const keep = (message) => said.push(message);
  early?.on("message", keep);
  childProcess.fork = (file, ...given) => {
    const options = given.find((one) => typeof one === "object" && !Array.isArray(one)) ?? {};
    if (!path.resolve(file).startsWith(lib)) return fork(file, ...given);
    const env = { ...(options.env ?? process.env), ...pick(surroundings), OUTPOST_LATE: "1" };
    if (file !== worker || early.exitCode !== null || early.wasTaken) return fork(file, [], { ...options, env, execArgv });
    early.wasTaken = true;
    early.send({ method: "outpost", env: options.env ?? process.env, job: known.job });
    early.off("message", keep);
    setImmediate(() => said.forEach((message) => early.emit("message", message)));
    return early;
  };
}

/** A compiler's own code is compiled by its first use; workers are told what came of this one. */
function warmCompiler(compiler, file) {
  try {
    require(compiler).transformHook(
      "import { test } from '@playwright/test'; const n: number = 1; test('x', async ({ page }) => {});",
      file,
    );
  } catch {} // another version
}

function pick(env) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith("OUTPOST_")));
}

function configOf({ run, work, script, limitMs, evidenceMs, keepsAll, hasScreenshots, isCodeNamed }) {
  const evidence = (mode) => (keepsAll ? "on" : mode);
  return {
    testDir: work,
    testMatch: new RegExp(`^${path.join(work, script).replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$`),
    outputDir: path.join(run, "out"),
    snapshotDir: path.join(work, "__snapshots__"),
    snapshotPathTemplate: `{snapshotDir}/${isCodeNamed ? pictureNames.ofCode : pictureNames.byTest}`,
    workers: 1,
    retries: 0,
    timeout: limitMs - evidenceMs,
    globalTimeout: limitMs,
    reporter: [["json", { outputFile: path.join(run, "report.json") }], [path.join(__dirname, "reporter.cjs")]], // ours last: what it tells ends the run
    use: {
      trace: { mode: evidence("retain-on-failure"), screenshots: hasScreenshots, snapshots: true, sources: true },
      screenshot: hasScreenshots ? evidence("only-on-failure") : "off",
      timezoneId: "UTC",
    },
  };
}
