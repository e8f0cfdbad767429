"use strict";
/*
 * The inner fence, between a script and its browser: whoever takes over the browser has neither the script's memory nor its variables and
 * files. Playwright starts it as the browser (`browser-wrapper.ts`); it takes from itself what a browser does not need and becomes one.
 * Descriptors 3 and 4 are Playwright's pipe.
 */
module.exports = function becomeBrowser(launcher, { argv: [browser, ...flags], ...order }) {
  const argv = [browser, ...process.argv.slice(2), ...flags]; // of two flags the last one counts
  process.argv[2] = JSON.stringify({ ...order, argv, parentPid: process.ppid });
  require(launcher);
};
