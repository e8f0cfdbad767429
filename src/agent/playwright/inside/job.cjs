"use strict";
/** What this process knows of its job (`host.config.cjs`); null while it waits for one. */
module.exports = { job: null };
