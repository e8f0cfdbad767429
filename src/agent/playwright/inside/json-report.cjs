"use strict";
const path = require("node:path");
const known = require("./job.cjs");
const partsOf = require("./versions.cjs");

/** Playwright's own report, of the version that runs the suite; null where that version has it elsewhere: it is not missed. */
module.exports = function beginReport(config, suite) {
  try {
    const { lib } = partsOf(process.env.OUTPOST_RUNTIME);
    const { default: Report } = require(path.join(lib, "reporters/json.js"));
    const report = new Report({ outputFile: path.join(known.job.run, "report.json"), configDir: known.job.work });
    if (report.onConfigure === undefined) report.onBegin(config, suite);
    else {
      report.onConfigure(config);
      report.onBegin(suite);
    }
    return report;
  } catch {
    return null;
  }
};
