"use strict";
/* Playwright compiles this file, as it does every file of a user: all that it needs is loaded before (`enter.cjs`), so a few words remain. */
module.exports = require("./configuration.cjs")();
