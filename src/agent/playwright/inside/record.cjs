"use strict";
const { closeSync, openSync, writeSync } = require("node:fs");
const path = require("node:path");
const known = require("./job.cjs");

/** Of the whole file; the agent reads no more. */
const mostBytes = 8 * 1024 * 1024;
let file = null;
let bytes = 0;

/** Tells the agent what was seen, as a line of JSON. */
module.exports = function record(kind, what) {
  if (known.job === null) return;
  try {
    const line = `${JSON.stringify({ kind, ...what })}\n`;
    bytes += line.length;
    if (bytes > mostBytes) return;
    file ??= openSync(path.join(known.job.run, "seen.ndjson"), "a");
    writeSync(file, line);
  } catch {
    if (file !== null) closeSync(file);
    file = null;
  }
};
