"use strict";
const { existsSync } = require("node:fs");
const path = require("node:path");
const known = require("./job.cjs");
const partsOf = require("./versions.cjs");

module.exports = { beginReport, beginHtmlReport };

/** Playwright's own report as JSON, of the version that runs the suite; null where that version has it elsewhere: it is not missed. */
function beginReport(config, suite) {
  return begun("json", { outputFile: path.join(known.job.run, "report.json") }, config, suite);
}

/** The same as pages; null where the project asks for it itself: the environment says where it goes then. */
async function beginHtmlReport(config, suite) {
  if (config.reporter.some(([name]) => name === "html")) return null;
  return begun("html", { outputFolder: path.join(known.job.run, "html-report"), open: "never" }, config, suite);
}

async function begun(name, options, config, suite) {
  try {
    const report = await made(name, { ...options, configDir: known.job.work });
    if (report.onConfigure === undefined) report.onBegin(config, suite);
    else {
      report.onConfigure(config);
      report.onBegin(suite);
    }
    return report;
  } catch {
    return null;
  }
}

/** Newer versions have no file for each report: their bundle makes them by name. */
function made(name, options) {
  const { lib } = partsOf(process.env.OUTPOST_RUNTIME);
  const file = path.join(lib, "reporters", `${name}.js`);
  if (existsSync(file)) return new (require(file).default)(options);
  return madeByName(require(path.join(lib, "runner")).runnerReporters, name, options);
}

/** The environment asks for our own reporter, which is not to be made once more; it is read before the first wait. */
async function madeByName({ createReporters }, name, options) {
  const { PW_TEST_REPORTER: ours } = process.env;
  delete process.env.PW_TEST_REPORTER;
  const reports = createReporters({ configDir: options.configDir, config: { reporter: [], tags: [] } }, "test", [[name, options]]);
  if (ours !== undefined) process.env.PW_TEST_REPORTER = ours;
  return (await reports).at(-1); // before it may stand what prints a line of each test
}
