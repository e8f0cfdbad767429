"use strict";
/* Starts what a command of a suite names, program after program, in the place of a shell. Its first argument is the command. */
const { spawn } = require("node:child_process");
const { programsOf } = require("./commands.cjs");

void (async () => {
  try {
    for (const program of programsOf(process.argv[2], process.cwd())) {
      const code = await ended(program);
      if (code !== 0) process.exit(code);
    }
  } catch (error) {
    console.error(`webServer cannot be started here: ${error.message}`);
    process.exit(127);
  }
})();

function ended({ words, env, folder = process.cwd() }) {
  const program = spawn(process.execPath, words, { cwd: folder, env: { ...process.env, ...env }, stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => program.kill(signal));
  return new Promise((resolve, reject) => program.once("error", reject).once("exit", (code) => resolve(code ?? 1)));
}
