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
function beginHtmlReport(config, suite) {
  if (config.reporter.some(([name]) => name === "html")) return null;
  return begun("html", { outputFolder: path.join(known.job.run, "html-report"), open: "never" }, config, suite);
}

/** Newer versions have no file for each report. Their bundle offers the one for pages, and none as JSON. */
function reportClass(name) {
  const { lib } = partsOf(process.env.OUTPOST_RUNTIME);
  const file = path.join(lib, "reporters", `${name}.js`);
  return existsSync(file) ? require(file).default : require(path.join(lib, "runner"))[name].default;
}

function begun(name, options, config, suite) {
  try {
    const Report = reportClass(name);
    const report = new Report({ ...options, configDir: known.job.work });
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
