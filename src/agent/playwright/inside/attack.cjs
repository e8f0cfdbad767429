"use strict";
/*
 * What a script must not be able to do, tried from inside of a fence: at the agent's start, and in tests. Its first argument names what is
 * aimed at; one line of JSON on descriptor 4, or standard output in the browser's place, says of each attack whether it was refused.
 */
const { execFileSync, spawnSync } = require("node:child_process");
const { createSocket } = require("node:dgram");
const { copyFileSync, chmodSync, openSync, readFileSync, readdirSync, writeFileSync, writeSync } = require("node:fs");
const { connect, createServer } = require("node:net");
const { join } = require("node:path");

const aim = JSON.parse(process.argv.find((word) => word.startsWith("{")));
const connected = (...where) => new Promise((resolve, reject) => connect(...where, () => resolve()).on("error", reject));

const ofScripts = {
  file: () => readFileSync(aim.file),
  folder: () => readdirSync(aim.folder),
  write: () => writeFileSync(join(aim.folder, "written"), ""),
  environment: () => readFileSync(`/proc/${aim.agent}/environ`),
  memory: () => openSync(`/proc/${aim.agent}/mem`, "r"),
  signal: () => process.kill(aim.agent, 0),
  keeper: () => process.kill(process.ppid, "SIGCONT"),
  written: () => {
    copyFileSync("/usr/bin/env", "program");
    chmodSync("program", 0o755);
    execFileSync("./program");
  },
  program: () => execFileSync("/bin/sh", ["-c", ":"]),
  connect: () => connected(aim.port, "127.0.0.1"),
  listen: () => new Promise((resolve, reject) => createServer().listen(0, resolve).on("error", reject)),
  udp: () =>
    new Promise((resolve, reject) => {
      const socket = createSocket("udp4").on("error", reject);
      socket.send("x", aim.port, "127.0.0.1", (error) => (error ? reject(error) : resolve()));
    }),
  socket: () => connected(aim.socket),
};
const ofBrowsers = {
  environment: () => readFileSync(`/proc/${aim.script}/environ`),
  memory: () => openSync(`/proc/${aim.script}/mem`, "r"),
  maps: () => readFileSync(`/proc/${aim.script}/maps`),
  files: () => readdirSync(`/proc/${aim.script}/cwd`),
  folder: () => readdirSync(aim.folder),
  signal: () => process.kill(aim.script, 0),
  secret: () => {
    if (!JSON.stringify(process.env).includes("outpost-canary")) throw new Error("not there");
  },
};

void (async () => {
  const refused = {};
  for (const [name, act] of Object.entries(aim.script === undefined ? ofScripts : ofBrowsers)) {
    refused[name] = await Promise.resolve()
      .then(act)
      .then(
        () => false,
        () => true,
      );
  }
  if (aim.script !== undefined) {
    writeSync(1, JSON.stringify(refused));
    process.exit(0);
  }
  const allowed = await connected(aim.proxy, "127.0.0.1").then(
    () => true,
    (error) => error.code,
  );
  const asBrowser = (wrapper) => {
    const { stdout, stderr } = spawnSync(
      wrapper[0],
      [...wrapper.slice(1), JSON.stringify({ script: process.pid, folder: process.cwd() })],
      {
        encoding: "utf8",
        env: { ...process.env, SECRET: "outpost-canary" },
      },
    );
    return stdout === "" ? { problem: stderr } : JSON.parse(stdout);
  };
  const page =
    aim.page === null
      ? null
      : spawnSync(aim.browser, ["--headless", "--no-sandbox", `--user-data-dir=${aim.profile}`, "--dump-dom", aim.page], {
          encoding: "utf8",
          timeout: 20_000,
        });
  const told = {
    refused,
    allowed,
    fenced: aim.fenced === null ? null : asBrowser(aim.fenced),
    unfenced: asBrowser([process.execPath, __filename]),
    page: page === null ? null : { dom: page.stdout, errors: page.stderr.slice(-2_000) },
  };
  writeSync(4, `${JSON.stringify(told)}\n`);
  process.exit(0);
})();
