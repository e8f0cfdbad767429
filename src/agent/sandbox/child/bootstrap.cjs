"use strict";
/*
 * The first code of a child that runs users' scripts: on the runtime's own Node.js, 16 or newer, so plain CommonJS. It waits for one
 * phase on descriptor 3, runs its scripts one after the other, and tells what came of them on descriptor 4, one JSON object a line:
 * `ready`, `script` (the next one begins), `log` and at last `end`. What it says is not trusted: a script may say it too.
 */
const childProcess = require("node:child_process");
const crypto = require("node:crypto");
const dgram = require("node:dgram");
const fs = require("node:fs");
const Module = require("node:module");
const net = require("node:net");
const os = require("node:os");
const util = require("node:util");
const v8 = require("node:v8");
const vm = require("node:vm");
const workerThreads = require("node:worker_threads");
const { holdEgress, reachBy } = require("./egress.cjs");
const { holdPaths } = require("./paths.cjs");
const { createRequire, importer, linkSnippets, runModule } = require("./script-modules.cjs");

/** Kept, because scripts may replace what the globals hold. */
const { parse, stringify } = JSON;
const { create, defineProperty, keys } = Object;
const { exit, pid: ownPid, ppid: parentPid } = process;
const now = Date.now;
const { byteLength } = Buffer;
const readLine = 3;
const writeLine = 4;
const logLimitBytes = 1024 * 1024;
/** What stands around the text of each entry of the log. */
const entryBytes = 64;
const orphanLookMs = 1_000;
const endLimitBytes = 2 * 1024 * 1024 - 1;

/** The script that runs, by its place. */
let current = 0;
let hasEnded = false;
let loggedBytes = 0;
/** What of variables and sensitive headers the agent was told. */
const toldEnv = create(null);
const toldHeaders = create(null);
const sensitiveHeader = /^(?:proxy-)?authorization$|^cookie$|^x-api-key$/i;
let hasNewEnv = false;
let watchedEnv = null;
void [process.stdout, process.stderr]; // opened before the scripts come, so that their kind of handle is known to `harden`
crypto.createHmac("sha256", "").digest(); // most scripts sign: loaded while nobody waits for it
if (process.argv[3] !== "raw") harden();
say({ t: "ready" });
const order = parse(receive());
if (order.attack) void attack(order.attack);
else void runPhase(order);

/** One line; it waits for the other side where the pipe is full. */
function say(message) {
  const bytes = Buffer.from(`${stringify(message)}\n`);
  let from = 0;
  while (from < bytes.length) {
    try {
      from += fs.writeSync(writeLine, bytes, from);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

/** Everything that the agent writes before it closes its side. A child whose agent is gone ends here. */
function receive() {
  const chunks = [];
  const chunk = Buffer.alloc(64 * 1024);
  for (;;) {
    let length = 0;
    try {
      length = fs.readSync(readLine, chunk, 0, chunk.length, null);
    } catch (error) {
      if (error.code === "EAGAIN") continue;
      throw error;
    }
    if (length === 0) exit(0);
    chunks.push(Buffer.from(chunk.subarray(0, length)));
    if (chunk[length - 1] === 10) return Buffer.concat(chunks).toString("utf8");
  }
}

/** What the permission model of this Node.js may not cover: signals to others, their priority, Unix sockets, and files that V8 writes. */
function harden() {
  const rawKill = process._kill;
  const { signals } = os.constants;
  const refuse = (name) => () => {
    throw denied(name);
  };
  const kill = (pid, signal = "SIGTERM") => {
    if (pid !== ownPid) throw denied("kill");
    return rawKill(ownPid, typeof signal === "number" ? signal : signals[signal]) === 0;
  };
  lock(process, "kill", kill);
  for (const name of ["_kill", "_debugProcess", "_debugEnd", "binding", "_linkedBinding", "dlopen", "execve"])
    lock(process, name, refuse(name));
  lock(process, "report", undefined);
  for (const name of ["writeHeapSnapshot", "setHeapSnapshotNearHeapLimit", "setFlagsFromString"]) lock(v8, name, refuse(name));
  lock(os, "setPriority", refuse("setPriority"));
  lock(workerThreads, "Worker", refuse("Worker"));
  const pipe = process.stdout._handle || new net.Socket({ fd: writeLine })._handle;
  const notPermitted = -1;
  for (const name of ["connect", "bind"]) lock(Object.getPrototypeOf(pipe), name, () => notPermitted);
  const spawned = Object.getPrototypeOf(new childProcess.ChildProcess()._handle);
  lock(spawned, "spawn", () => notPermitted);
  for (const name of ["spawnSync", "execSync", "execFileSync"]) lock(childProcess, name, refuse(name));
  holdEgress();
  holdPaths([process.argv[2], __dirname]);
  Module.syncBuiltinESMExports();
}

function lock(object, name, value) {
  if (name in object) defineProperty(object, name, { value, writable: false, configurable: false });
}

function denied(name) {
  const error = new Error(`EPERM: ${name} is not permitted in scripts`);
  return Object.assign(error, { code: "EPERM", syscall: name });
}

async function runPhase(phase) {
  if (phase.egress !== undefined) reachBy(phase.egress);
  for (const name of keys(process.env)) if (name !== "PATH" && name !== "TZ") delete process.env[name];
  for (const name of keys(phase.env)) process.env[name] = phase.env[name];
  watchEnvironment();
  globalThis.request = phase.request;
  globalThis.response = phase.response;
  globalThis.console = jobConsole();
  globalThis.require = createRequire(phase.snippets);
  process.on("uncaughtException", (error) => end(phase, error));
  process.on("unhandledRejection", (error) => end(phase, error));
  process.on("beforeExit", () => end(phase, undefined, "unsettled"));
  process.on("exit", (code) => end(phase, undefined, "exit", code));
  setInterval(() => process.ppid === parentPid || exit(0), orphanLookMs).unref(); // where no kernel ends it with the agent
  try {
    await linkSnippets(phase);
    for (current = 0; current < phase.scripts.length; current += 1) {
      say({ t: "script", index: current });
      await runScript(phase.scripts[current], current, phase.snippets);
    }
  } catch (error) {
    end(phase, error);
  }
  end(phase);
}

/** A script with `import` declarations is a module, any other is the body of an async function. */
function runScript({ code, isModule }, index, snippets) {
  const filename = `outpost-script-${index}.js`;
  if (isModule) return runModule(code, filename, snippets);
  const head = "(async () => {";
  const script = new vm.Script(`${head}${code}\n})`, { filename, columnOffset: -head.length, importModuleDynamically: importer(snippets) });
  return script.runInThisContext()();
}

/** Everything that a console has; what it prints becomes entries of the job's log. */
function jobConsole() {
  const stream = (level) => ({
    write: (text) => log(level, String(text).replace(/\n$/, "")),
    on() {},
    once() {},
    removeListener() {},
    listenerCount: () => 0,
  });
  const made = new console.Console({ stdout: stream("INFO"), stderr: stream("WARN"), colorMode: false });
  const levels = { log: "INFO", info: "INFO", debug: "DEBUG", warn: "WARN", error: "ERROR" };
  for (const name of keys(levels)) {
    made[name] = (...values) => {
      if (loggedBytes < logLimitBytes) log(levels[name], util.format(...values));
    };
  }
  return made;
}

function log(level, msg) {
  if (loggedBytes >= logLimitBytes) return;
  const left = logLimitBytes - loggedBytes;
  const kept = msg.length <= left ? msg : msg.slice(0, left);
  loggedBytes += byteLength(kept) + entryBytes;
  tellMade();
  say({ t: "log", time: now(), level, msg: kept });
  if (loggedBytes >= logLimitBytes) say({ t: "log", time: now(), level: "WARN", msg: "The log is full: what follows is left out (1 MB)" });
}

/** The last word of this process. */
function end(phase, error, how = arguments.length > 1 ? "threw" : "done", code) {
  if (hasEnded) return;
  hasEnded = true;
  try {
    tellMade();
    if (how === "done") say(leftBehind(phase));
    else
      say({
        t: "end",
        failure: { script: current, how, code: typeof code === "number" ? code : null, ...(how === "threw" ? told(error) : {}) },
      });
  } catch (problem) {
    say({ t: "end", failure: { script: current, how: "unreadable", code: null, message: textOf(() => problem.message) } });
  }
  exit(0);
}

/** Marks what scripts do to their variables. */
function watchEnvironment() {
  Object.assign(toldEnv, process.env);
  const mark =
    (act) =>
    (...args) => {
      hasNewEnv = true;
      return act(...args);
    };
  watchedEnv = new Proxy(process.env, {
    set: mark((env, name, value) => Reflect.set(env, name, value)),
    defineProperty: mark(Reflect.defineProperty),
  });
  process.env = watchedEnv;
}

/** Secrets may be among what scripts made: told before whatever may repeat it, so that it is masked there even if they never end. */
function tellMade() {
  const env = hasNewEnv || process.env !== watchedEnv ? fresh(toldEnv, process.env, () => true) : create(null);
  hasNewEnv = false;
  const headers = fresh(toldHeaders, globalThis.request?.headers, (name) => sensitiveHeader.test(name));
  if (keys(env).length + keys(headers).length > 0) say({ t: "made", env, headers });
}

/** The texts that differ from what was told last; an object that cannot be looked through has none. */
function fresh(told, object, isMeant) {
  const found = create(null);
  try {
    for (const name of keys(object ?? {})) {
      if (!isMeant(name)) continue;
      const value = object[name];
      if (typeof value === "string" && value !== told[name]) found[name] = told[name] = value;
    }
  } catch {
    // the end says that it cannot be read
  }
  return found;
}

/** How the scripts left what they may change; the agent checks the kinds. */
function leftBehind({ response }) {
  const { request } = globalThis;
  const left = create(null);
  left.t = "end";
  left.request = fields(request, ["method", "url", "body"]);
  left.request.headers = fields(request.headers, keys(request.headers));
  left.request.queryParameters = fields(request.queryParameters, keys(request.queryParameters));
  left.response = response === null ? null : fields(globalThis.response, ["body"]);
  left.env = fields(process.env, keys(process.env));
  const length = stringify(left).length;
  if (length > endLimitBytes) throw new Error(`it is ${Math.ceil(length / 1024)} KB, and 2,048 KB are allowed`);
  return left;
}

/** Texts as they are, numbers and truths as text, absent ones left out; anything else as its kind, which the agent refuses by name. */
function fields(object, names) {
  const copy = create(null);
  for (const name of names) {
    const value = object[name];
    if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint") copy[name] = `${value}`;
    else if (typeof value === "string") copy[name] = value;
    else if (value !== undefined && value !== null) copy[name] = { kind: Array.isArray(value) ? "array" : typeof value };
  }
  return copy;
}

/** An error, or whatever else was thrown, with its place in the user's code. */
function told(error) {
  if (!(error instanceof Error) && !util.types.isNativeError(error)) {
    return { name: "", message: textOf(() => util.inspect(error, { depth: 1 })), file: null, line: null };
  }
  const place = /outpost-(script-\d+|snippet-.+?)\.js:(\d+)/.exec(textOf(() => error.stack));
  return {
    name: textOf(() => error.name),
    message: textOf(() => error.message),
    file: place === null ? null : place[1],
    line: place === null ? null : Number(place[2]),
  };
}

function textOf(read) {
  try {
    return String(read()).slice(0, 4_000);
  } catch {
    return "";
  }
}

/** Attacks on the agent; each answers whether it was withstood. */
async function attack({ pid, pidNamespace, file, socket, port }) {
  const withstands = (act) => {
    try {
      return act() === false;
    } catch {
      return true;
    }
  };
  const isNeighbour = () => fs.readlinkSync("/proc/self/ns/pid") === pidNamespace;
  const outcome = {
    environment: withstands(() => fs.readFileSync(`/proc/${pid}/environ`).length > 0 && !elsewhere(isNeighbour)),
    signal: withstands(() => process.kill(pid, 0) && !elsewhere(isNeighbour)),
    file: withstands(() => fs.readFileSync(file) && true),
    exec: withstands(() => childProcess.spawnSync(process.execPath, ["--version"]).error === undefined),
    socket: await new Promise((resolve) => {
      const connection = net.connect(socket, () => resolve(false));
      connection.on("error", () => resolve(true));
    }).catch(() => true),
    egress: (await isUnreachable(port)) && (await isUnsent(port)),
  };
  say({ t: "end", attack: outcome });
  exit(0);
}

/** Whether no connection to a port of this host can be made. */
function isUnreachable(port) {
  return new Promise((resolve) => {
    const connection = net.connect({ host: "127.0.0.1", port }, () => resolve(false));
    connection.on("error", () => resolve(true));
  }).catch(() => true);
}

/** Whether no datagram can be sent. */
function isUnsent(port) {
  return new Promise((resolve) => {
    const datagrams = dgram.createSocket("udp4").on("error", () => resolve(true));
    datagrams.send("x", port, "127.0.0.1", (error) => resolve(error !== null && error !== undefined));
  }).catch(() => true);
}

/** True only where it is known that the agent's numbers of processes mean others here. */
function elsewhere(isNeighbour) {
  try {
    return !isNeighbour();
  } catch {
    return false;
  }
}
