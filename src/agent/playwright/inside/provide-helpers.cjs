"use strict";
const { copyFileSync, mkdirSync } = require("node:fs");
const path = require("node:path");

const named = /["'](@[\w.-]+\/playwright-helpers)["']/g;

/** Under the scope that a script knows them by, where it looks for what its runtime does not have. */
module.exports = function provideHelpers(run, files) {
  const names = new Set(files.flatMap(({ content }) => [...content.matchAll(named)].map(([, name]) => name)));
  for (const name of names) {
    const folder = path.join(run, "node_modules", name);
    mkdirSync(folder, { recursive: true });
    copyFileSync(path.join(__dirname, "playwright-helpers.cjs"), path.join(folder, "index.js"));
  }
};
