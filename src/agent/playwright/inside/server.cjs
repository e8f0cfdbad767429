"use strict";
/* First in each program that a suite starts beside its tests: the same way into the network, and ports of the run's own. */
const { readFileSync } = require("node:fs");
const path = require("node:path");
const { holdEgress, openWay, reachBy } = require(process.env.OUTPOST_EGRESS);

holdEgress();
reachBy(JSON.parse(readFileSync(path.join(process.env.OUTPOST_RUN, "job.json"), "utf8")).proxy);
require("./own-ports.cjs")(openWay);
