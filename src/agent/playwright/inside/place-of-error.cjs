"use strict";
const { readFileSync } = require("node:fs");
const known = require("./job.cjs");

module.exports = { placeIn, codeAt };

/** Lines before and after the one that is shown. */
const [before, after] = [2, 2];

/** The first place of the script in a stack, for versions before 1.33, which do not say where an error is. */
function placeIn(stack) {
  for (const [, file, line, column] of `${stack ?? ""}`.matchAll(/^ +at (?:.*\()?(?:file:\/\/)?(\/[^()\n]*):(\d+):(\d+)\)?$/gm))
    if (file.startsWith(`${known.job.work}/`) && !file.includes("/node_modules/"))
      return { file, line: Number(line), column: Number(column) };
  return undefined;
}

/** A piece of a script around a place, as newer versions show it. */
function codeAt({ file, line, column }) {
  try {
    const lines = readFileSync(file, "utf8").split("\n");
    const [first, last] = [Math.max(1, line - before), Math.min(lines.length, line + after)];
    const width = `${last}`.length;
    const shown = [];
    for (let at = first; at <= last; at += 1) {
      shown.push(`${at === line ? ">" : " "} ${`${at}`.padStart(width)} | ${lines[at - 1]}`);
      if (at === line) shown.push(`  ${" ".repeat(width)} | ${" ".repeat(Math.max(0, column - 1))}^`);
    }
    return shown.join("\n");
  } catch {
    return undefined; // the script took it away
  }
}
