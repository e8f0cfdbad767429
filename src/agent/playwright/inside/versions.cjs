"use strict";
const { existsSync, readFileSync } = require("node:fs");
const path = require("node:path");

/** Where Playwright Test has its parts, the newest first; 1.28 to 1.65 were tried. A worker that is given pipes has to have a reader. */
const layouts = [
  { lib: "playwright/lib", worker: "worker/workerProcessEntry.js", loads: [], output: "pipe" },
  {
    lib: "playwright/lib",
    worker: "common/process.js",
    loads: ["worker/workerMain.js"],
    compiler: "transform/transform.js",
    modules: "common/esmLoaderHost.js",
    hasSmallFiles: true,
    output: "pipe",
  },
  {
    lib: "@playwright/test/lib",
    worker: "common/process.js",
    loads: ["worker/workerMain.js"],
    compiler: "common/transform.js",
    output: "ignore",
  },
  { lib: "@playwright/test/lib", worker: "worker.js", loads: ["workerRunner.js"], compiler: "transform.js", output: "ignore" },
];

/** The parts of a runtime's version; of one that is unknown only where it lies. */
module.exports = function partsOf(runtime) {
  const inLib = (lib, name) => path.join(runtime, "node_modules", lib, name);
  const {
    lib,
    worker,
    loads,
    compiler,
    modules,
    output,
    hasSmallFiles = false,
  } = layouts.find((one) => existsSync(inLib(one.lib, one.worker))) ?? {
    lib: "playwright/lib",
    loads: [],
  };
  return {
    lib: inLib(lib, ""),
    worker: worker === undefined ? null : inLib(lib, worker),
    loads: loads.map((name) => inLib(lib, name)),
    compiler: compiler === undefined ? null : inLib(lib, compiler),
    modules: modules !== undefined && startsLater(inLib(lib, modules)) ? inLib(lib, modules) : null,
    output,
    hasSmallFiles,
  };
};

/** From 1.48 on the thread for ECMAScript modules may start whenever it is needed. */
function startsLater(modules) {
  return readFileSync(modules, "utf8").includes("configureESMLoader");
}
