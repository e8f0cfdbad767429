"use strict";
const childProcess = require("node:child_process");
const path = require("node:path");

const preload = path.join(__dirname, "server.cjs");

/** Playwright gives the command of a `webServer` to a shell, which is not there: our own program reads it. What it starts finds its ports. */
module.exports = function startWithoutShell() {
  const { spawn } = childProcess;
  childProcess.spawn = (command, args, options) => {
    const [words, given] = Array.isArray(args) ? [args, options ?? {}] : [[], args ?? {}];
    if (given.shell !== true) return spawn(command, args, options);
    const env = { ...(given.env ?? process.env), ...ofRun(), NODE_OPTIONS: `--require=${preload}` };
    const program = path.join(__dirname, "start-commands.cjs");
    return spawn(process.execPath, [program, [command, ...words].join(" ")], Object.assign({}, given, { shell: false, env }));
  };
};

function ofRun() {
  const { OUTPOST_EGRESS, OUTPOST_RUN } = process.env;
  return { OUTPOST_EGRESS, OUTPOST_RUN };
}
