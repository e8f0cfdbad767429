"use strict";
/*
 * The root of a tree of processes that runs code of others. It is outside of the fence: it starts the launcher, takes in every process below
 * whose parent ended, and kills all of the tree when it is told to (its standard input ends), when the agent dies (it ends, too) or when the
 * tree takes more than it may: it measures from the first word on standard input on, for what waits runs nobody's code and costs nothing. Its
 * one argument is a `KeeperOrder` (keep-tree.ts) as JSON; it tells lines of JSON on standard output, of which the last one says what is left.
 * Descriptors 2 to 4 are the program's.
 */
const { spawn } = require("node:child_process");
const ffi = require("node:ffi");
const { closeSync, lstatSync, opendirSync, readFileSync, readdirSync, writeSync } = require("node:fs");
const { readFile } = require("node:fs/promises");

const { functions: c } = ffi.dlopen(null, {
  prctl: { arguments: ["i32", "u64", "u64", "u64", "u64"], return: "i32" },
  waitpid: { arguments: ["i32", "pointer", "i32"], return: "i32" },
});
const withoutWaiting = 1;
const everyMs = 250;
/** So many looks from one at the size of the folder to the next. */
const looksPerSize = 4;
/** What is killed is gone after some of them. */
const mostRounds = 400;
const { launcher, order, limits, folder } = JSON.parse(process.argv[2]);
const tell = (what) => {
  try {
    writeSync(1, `${JSON.stringify(what)}\n`);
  } catch {} // nobody reads any more
};
let isEnding = false;

c.prctl(36, 1n, 0n, 0n, 0n); // PR_SET_CHILD_SUBREAPER
process.on("SIGTERM", () => void end()).on("SIGINT", () => void end());
process.stdin
  .once("data", () => void watch())
  .on("end", () => void end())
  .on("error", () => void end());
const command = [...launcher, JSON.stringify({ ...order, parentPid: process.pid })];
const child = spawn(process.execPath, command, { cwd: folder, env: {}, stdio: ["ignore", 2, 2, 3, 4], detached: true });
child.on("error", () => void end()).on("exit", (code, signal) => tell({ exit: signal ?? code }));
for (const descriptor of [3, 4]) closeSync(descriptor);

async function watch() {
  for (let look = 0; !isEnding; look += 1) {
    const tree = below(process.pid);
    const excess =
      tree.length > limits.processes
        ? "processes"
        : (await memoryOf(tree)) > limits.memoryBytes
          ? "memory"
          : look % looksPerSize === 0 && sizeOf(folder, limits.folderBytes) > limits.folderBytes
            ? "folder"
            : null;
    if (excess !== null) {
      tell({ excess });
      return void end();
    }
    await pause(everyMs);
  }
}

/** Whoever has ended and is nobody's child any more is waited for on the way: nobody else does. */
function below(pid) {
  return childrenOf(pid).flatMap((one) => [...below(one), ...(pid === process.pid && one !== child.pid && reaped(one) ? [] : [one])]);
}

function reaped(pid) {
  return c.waitpid(pid, 0n, withoutWaiting) === pid;
}

function childrenOf(pid) {
  const all = [];
  for (const thread of namesIn(`/proc/${pid}/task`)) {
    try {
      all.push(...readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number));
    } catch {} // it has ended
  }
  return all;
}

function namesIn(path) {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** What the processes have in memory together. Who has little is not asked for shares: the kernel takes milliseconds to tell one. */
async function memoryOf(tree) {
  const most = sum(tree.map(wholeOf));
  return most <= limits.memoryBytes ? most : sum(await Promise.all(tree.map(shareOf)));
}

/** All of it where the kernel does not tell the share. */
async function shareOf(pid) {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/smaps_rollup`, "utf8"))[1]) * 1024;
  } catch {
    return wholeOf(pid);
  }
}

function wholeOf(pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * 4096;
  } catch {
    return 0; // it has ended
  }
}

function sum(numbers) {
  return numbers.reduce((total, one) => total + one, 0);
}

/** Of the files in a folder, as they lie on the disk; no further than `most`. */
function sizeOf(path, most) {
  let bytes = 0;
  try {
    const entries = opendirSync(path);
    for (let entry = entries.readSync(); entry !== null && bytes <= most; entry = entries.readSync()) {
      const name = `${path}/${entry.name}`;
      bytes += entry.isDirectory() ? 4096 + sizeOf(name, most - bytes) : lstatSync(name).blocks * 512;
    }
    entries.closeSync();
  } catch {} // it was removed, or may not be read
  return bytes;
}

/** Again and again, until a look finds nobody: who is killed may just have started another one. */
async function end() {
  if (isEnding) return;
  isEnding = true;
  let left = living();
  for (let round = 0; left.length > 0 && round < mostRounds; round += 1) {
    for (const pid of left) kill(pid);
    await pause(round < 50 ? 2 : 10);
    left = living();
  }
  tell({ left: left.length });
  process.exit(0);
}

function living() {
  return below(process.pid).filter((pid) => {
    try {
      return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
    } catch {
      return false;
    }
  });
}

function kill(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch {} // it has ended
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
