"use strict";
const watchPages = require("./watch-pages.cjs");

/** This agent's browser in the place of what Playwright would look for, and no other. @param core the package `playwright-core` */
module.exports = function giveBrowser(core) {
  watchPages(core.chromium);
  for (const name of ["firefox", "webkit"]) {
    for (const way of ["launch", "launchPersistentContext", "launchServer"]) {
      core[name][way] = () => Promise.reject(new Error(`browserName is "${name}"; this agent has chromium`));
    }
  }
};
