"use strict";
/*
 * Takes from itself whatever a script does not need, then becomes the runtime's Node.js. Runs on the agent's own Node.js, which
 * can call libc; plain CommonJS, because it starts for each child. Its one argument is a `LauncherOrder` (launch.ts) as JSON.
 * Nothing here is undone later: Landlock, the filter and no_new_privs pass over to whatever this process becomes.
 */
const ffi = require("node:ffi");
const { closeSync, readdirSync, readFileSync, writeSync } = require("node:fs");
const { getSystemErrorName } = require("node:util");

const { functions: c } = ffi.dlopen(null, {
  __errno_location: { arguments: [], return: "pointer" },
  execve: { arguments: ["pointer", "pointer", "pointer"], return: "i32" },
  fcntl: { arguments: ["i32", "i32", "i32"], return: "i32" },
  getppid: { arguments: [], return: "i32" },
  open: { arguments: ["pointer", "i32"], return: "i32" },
  prctl: { arguments: ["i32", "u64", "u64", "u64", "u64"], return: "i32" },
  setgroups: { arguments: ["u64", "pointer"], return: "i32" },
  setresgid: { arguments: ["u32", "u32", "u32"], return: "i32" },
  getrlimit: { arguments: ["i32", "pointer"], return: "i32" },
  setrlimit: { arguments: ["i32", "pointer"], return: "i32" },
  setresuid: { arguments: ["u32", "u32", "u32"], return: "i32" },
  syscall: { arguments: ["i64", "u64", "u64", "u64", "u64", "u64"], return: "i64" },
});
/** The kernel reads them when it is called: none may be collected before. */
const kept = [];
const dataResource = 2;
/** What the agent itself got from whoever started it must not reach the program; up to here are what it gives. */
const lastDescriptor = 5;
const closeOnExec = 1;
const settings = JSON.parse(process.argv[2]);

confine(settings);

function confine({ parentPid, user, keepsPowers, limits, landlock, filter, isBestEffort, argv, env }) {
  const path = textAt(argv[0]);
  for (const fd of readdirSync("/proc/self/fd").map(Number)) c.fcntl(fd, 2, fd <= lastDescriptor ? 0 : closeOnExec);
  for (const [resource, value] of limits) limit(resource, resource === dataResource ? Math.max(value, ownNeeds()) : value);
  must("prctl(PR_SET_NO_NEW_PRIVS)", c.prctl(38, 1n, 0n, 0n, 0n));
  const ruleset = makeRuleset(landlock);
  if (user !== null) become(user);
  if (!keepsPowers) dropCapabilities();
  must("prctl(PR_SET_PDEATHSIG)", c.prctl(1, 9n, 0n, 0n, 0n)); // after the user: a change of it clears the signal
  if (c.getppid() !== parentPid) process.exit(1); // it ended before that
  if (ruleset !== null) must("landlock_restrict_self", c.syscall(446n, BigInt(ruleset), 0n, 0n, 0n, 0n));
  const [args, environment] = [listAt(argv), listAt(env)];
  if (filter !== null) setFilter(filter, path, isBestEffort);
  must(`execve ${argv[0]}`, c.execve(path, args, environment));
}

function setFilter(filter, path, isBestEffort) {
  const program = programAt(filter, {
    pid: process.pid,
    parent: process.ppid,
    groupOfParent: -process.ppid >>> 0,
    pathLow: Number(path & 0xffffffffn),
    pathHigh: Number(path >> 32n),
  });
  const result = c.prctl(22, 2n, program, 0n, 0n);
  if (!isBestEffort) must("prctl(PR_SET_SECCOMP)", result);
}

/** A limit of memory must leave this process its own, until it is another program. */
function ownNeeds() {
  const kilobytes = Number(/^VmData:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))[1]);
  return kilobytes * 1024 + 96 * 1024 * 1024;
}

/** Soft and hard: it cannot be raised again. What this process may have itself, as a container's limit of open files, is not exceeded. */
function limit(resource, value) {
  const pair = Buffer.alloc(16);
  must("getrlimit", c.getrlimit(resource, at(pair)));
  const hard = pair.readBigUInt64LE(8);
  const wanted = BigInt(value) < hard ? BigInt(value) : hard;
  pair.writeBigUInt64LE(wanted, 0);
  pair.writeBigUInt64LE(wanted, 8);
  must("setrlimit", c.setrlimit(resource, at(pair)));
}

function must(call, result) {
  if (Number(result) >= 0) return Number(result);
  const errno = ffi.getInt32(c.__errno_location(), 0);
  writeSync(2, `${call}: ${getSystemErrorName(-errno)}\n`);
  process.exit(1);
}

/**
 * Rights as the newest kernel knows them; an older one gets those that it has (Documentation/userspace-api/landlock.rst). Without paths
 * only the network is held, where the kernel can: null where it cannot.
 */
function makeRuleset({ paths, tcpPort }) {
  const known = c.syscall(444n, 0n, 0n, 1n, 0n, 0n);
  if (paths === null && known < 4n) return null;
  const abi = must("landlock_create_ruleset", known);
  const all = (1n << rightsOf(abi)) - 1n;
  const attributes = Buffer.alloc(24);
  attributes.writeBigUInt64LE(3n, 8); // TCP: no bind, and connect to the port below
  if (paths !== null) {
    attributes.writeBigUInt64LE(all, 0);
    attributes.writeBigUInt64LE(3n, 16); // no abstract sockets of others, no signals to others
  }
  const size = abi >= 6 ? 24n : abi >= 4 ? 16n : 8n;
  const ruleset = must("landlock_create_ruleset", c.syscall(444n, at(attributes), size, 0n, 0n, 0n));
  if (abi >= 4) allowPort(ruleset, tcpPort);
  for (const [path, right] of paths ?? []) {
    const fd = c.open(textAt(path), 0o12000000); // O_PATH, O_CLOEXEC
    if (fd < 0) continue; // this system has none
    const rule = Buffer.alloc(12);
    rule.writeBigUInt64LE(BigInt(right) & all, 0);
    rule.writeInt32LE(fd, 8);
    must(`landlock_add_rule for ${path}`, c.syscall(445n, BigInt(ruleset), 1n, at(rule), 0n, 0n));
    closeSync(fd);
  }
  return ruleset;
}

function rightsOf(abi) {
  if (abi >= 5) return 16n;
  return abi >= 3 ? 15n : abi >= 2 ? 14n : 13n;
}

/** To be connected to, at any address: the kernel knows no more (ADR 24). */
function allowPort(ruleset, port) {
  const rule = Buffer.alloc(16);
  rule.writeBigUInt64LE(2n, 0);
  rule.writeBigUInt64LE(BigInt(port), 8);
  must(`landlock_add_rule for port ${port}`, c.syscall(445n, BigInt(ruleset), 2n, at(rule), 0n, 0n));
}

function become(user) {
  must("setgroups", c.setgroups(0n, 0n));
  must("setresgid", c.setresgid(user, user, user));
  must("setresuid", c.setresuid(user, user, user));
}

/** A root that must stay root keeps none of its powers; no_new_privs sees to it that the program gets none either. */
function dropCapabilities() {
  const header = Buffer.alloc(8);
  header.writeUInt32LE(0x20080522, 0);
  must("capset", c.syscall(process.arch === "arm64" ? 91n : 126n, at(header), at(Buffer.alloc(24)), 0n, 0n, 0n));
}

/** A `sock_fprog`; words in the program stand for what only this process knows. */
function programAt(instructions, known) {
  const code = Buffer.alloc(instructions.length * 8);
  instructions.forEach(([operation, yes, no, value], index) => {
    code.writeUInt16LE(operation, index * 8);
    code[index * 8 + 2] = yes;
    code[index * 8 + 3] = no;
    code.writeUInt32LE(typeof value === "string" ? known[value] : value, index * 8 + 4);
  });
  const program = Buffer.alloc(16);
  program.writeUInt16LE(instructions.length, 0);
  program.writeBigUInt64LE(at(code), 8);
  return at(program);
}

/** A list of texts that ends with null. */
function listAt(texts) {
  const list = Buffer.alloc((texts.length + 1) * 8);
  texts.forEach((text, index) => list.writeBigUInt64LE(textAt(text), index * 8));
  return at(list);
}

function textAt(text) {
  const bytes = Buffer.alloc(Buffer.byteLength(text) + 1);
  bytes.write(text);
  return at(bytes);
}

function at(buffer) {
  kept.push(buffer);
  return ffi.getRawPointer(buffer);
}
