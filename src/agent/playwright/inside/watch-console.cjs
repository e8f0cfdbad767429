"use strict";
const { format } = require("node:util");
const record = require("./record.cjs");

const levels = { debug: "DEBUG", trace: "DEBUG", log: "INFO", info: "INFO", warn: "WARN", error: "ERROR" };

/** What scripts write to `console`, with its level. */
module.exports = function watchConsole() {
  for (const [name, level] of Object.entries(levels)) {
    console[name] = (...given) => record("log", { time: Date.now(), level, msg: format(...given).slice(0, 10_000) });
  }
};
