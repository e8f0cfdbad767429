"use strict";
/* First in a package manager: its way into the network is the run's own. Descriptor 3 has what it is told, once; threads have neither need. */
const { readFileSync } = require("node:fs");
const { isMainThread } = require("node:worker_threads");

const { OUTPOST_EGRESS: egress, OUTPOST_PROXY: known } = process.env;
const { holdEgress, reachBy } = require(egress);
holdEgress();
if (known !== undefined) reachBy(JSON.parse(known));
else if (isMainThread) begin();

function begin() {
  const { proxy, folder, env } = JSON.parse(readFileSync(3, "utf8"));
  Object.assign(process.env, env, { OUTPOST_PROXY: JSON.stringify(proxy) }); // its threads and processes have the same way
  reachBy(proxy);
  process.chdir(folder);
}
