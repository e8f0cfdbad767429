import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScriptRuntime } from "../../../src/agent/sandbox/launch.ts";
import { type ScriptRuntime as InstalledRuntime, makeScriptRuntime } from "../../support/script-runtime.ts";
import { Attacked, untouched } from "./attacked.ts";
import { attacks } from "./attacks.ts";
import { type Kept, runtimeIn, saidAlone } from "./one-child.ts";
import { reachableLevels } from "./sandbox-under-test.ts";

/*
 * What each part of the sandbox holds without the others: level 1 without a user of its own, as an agent has it that is not root, and the
 * kernel at levels 2 and 3 without what Node.js does.
 */

const { levels, limitations } = await reachableLevels();
for (const limitation of limitations) process.stdout.write(`attacks on parts of the sandbox are skipped at ${limitation}\n`);
const kernels = levels.filter((level) => level === 2 || level === 3).map((level): Kept => ({ level, isRaw: true }));
const isX64 = process.arch === "x64";
if (!isX64) process.stdout.write("system calls are not tried one by one: their numbers are those of x86-64\n");

let attacked: Attacked;
let installed: InstalledRuntime;
let runtime: ScriptRuntime;
beforeAll(async () => {
  attacked = await Attacked.start();
  installed = await makeScriptRuntime();
  runtime = await runtimeIn(installed);
});
afterAll(async () => {
  await attacked[Symbol.asyncDispose]();
  await installed[Symbol.asyncDispose]();
});

describe("at level 1 as the agent's own user", () => {
  it.each(attacks)("a script that $title is refused ($id)", async ({ code, withstood }) => {
    expect(await saidAlone(runtime, { level: 1, isRaw: false }, code, attacked.aims)).toMatch(withstood);
    expect(attacked.state()).toEqual(untouched);
  });
});

describe.each(kernels)("at level $level by the kernel alone", (kept) => {
  it.each(attacks.filter(({ isWithin }) => isWithin !== true))("a script that $title is refused ($id)", async ({ code, withstood }) => {
    const said = await saidAlone(runtime, kept, code, attacked.aims);
    expect(said === "died" ? "refused" : said).toMatch(withstood);
    expect(attacked.state()).toEqual(untouched);
  });
});

/** Number and arguments on x86-64; `PID` is that of the attacked. */
const calls: readonly (readonly [name: string, number: number, ...args: (number | "PID")[]])[] = [
  ["ptrace: PTRACE_ATTACH (B-01)", 101, 16, "PID"],
  ["process_vm_readv (B-01)", 310, "PID"],
  ["pidfd_open (B-03)", 434, "PID"],
  ["pidfd_getfd (B-02)", 438],
  ["kill (B-03)", 62, "PID", 0],
  ["tgkill (B-03)", 234, "PID", "PID", 0],
  ["tkill (B-03)", 200, "PID", 0],
  ["rt_sigqueueinfo (B-03)", 129, "PID", 0],
  ["prlimit of the agent (B-03)", 302, "PID", 0],
  ["setpriority of the agent (B-03)", 141, 0, "PID", 19],
  ["sched_setaffinity of the agent (B-03)", 203, "PID"],
  ["setsid (B-09)", 112],
  ["setpgid (B-09)", 109, 0, 0],
  ["fork (B-09)", 57],
  ["vfork (B-09)", 58],
  ["clone of a process (B-09)", 56, 17],
  ["clone3 (B-09)", 435],
  ["unshare of namespaces", 272, 0x10000000],
  ["setns", 308],
  ["mount", 165],
  ["socket of AF_UNIX (B-06)", 41, 1, 1],
  ["socket of AF_VSOCK (B-06)", 41, 40, 1],
  ["socket of AF_NETLINK (B5)", 41, 16, 3],
  ["socket of UDP (B1)", 41, 2, 2],
  ["socket of UDP over IPv6 (B1)", 41, 10, 2],
  ["socket of MPTCP (B1)", 41, 2, 1, 262],
  ["socket of SCTP (B1)", 41, 2, 1, 132],
  ["raw socket (B1)", 41, 2, 3, 6],
  ["sendto with TCP fast open (B1)", 44, 9, 0, 0, 0x20000000],
  ["sendmsg with TCP fast open (B1)", 46, 9, 0, 0x20000000],
  ["sendmmsg with TCP fast open (B1)", 307, 9, 0, 0, 0x20000000],
  ["setsockopt SO_SNDBUF (B5)", 54, 9, 1, 7],
  ["setsockopt SO_RCVBUF (B5)", 54, 9, 1, 8],
  ["setsockopt SO_SNDBUFFORCE (B5)", 54, 9, 1, 32],
  ["setsockopt SO_RCVBUFFORCE (B5)", 54, 9, 1, 33],
  ["listen (B1)", 50, 9, 1],
  ["shmget (B5)", 29, 0, 4096, 0o1600],
  ["shmat (B5)", 30, 0],
  ["shmctl (B5)", 31, 0, 2],
  ["shmdt (B5)", 67, 0],
  ["semget (B5)", 64, 0, 1, 0o1600],
  ["semop (B5)", 65, 0],
  ["semctl (B5)", 66, 0],
  ["semtimedop (B5)", 220, 0],
  ["msgget (B5)", 68, 0, 0o1600],
  ["msgsnd (B5)", 69, 0],
  ["msgrcv (B5)", 70, 0],
  ["msgctl (B5)", 71, 0],
  ["mq_open (B5)", 240],
  ["mq_timedsend (B5)", 242],
  ["memfd_create (B5)", 319],
  ["socket of AF_PACKET", 41, 17, 3],
  ["socket of AF_ALG", 41, 38, 5],
  ["io_uring_setup", 425, 8],
  ["userfaultfd", 323],
  ["keyctl", 250],
  ["add_key", 248],
  ["bpf", 321],
  ["perf_event_open", 298],
  ["execveat (B-07)", 322, -100],
  ["chmod by fchmodat2 (B-08)", 452],
  ["init_module", 175],
  ["kexec_load", 246],
];
/** At level 3 the agent's numbers of processes mean nothing: ESRCH. */
const numbers = { EPERM: 1, ESRCH: 3, EACCES: 13, ENOSYS: 38, EAFNOSUPPORT: 97 };

describe.skipIf(!isX64).each(kernels)("at level $level", (kept) => {
  let answers: Readonly<Record<string, string>>;
  beforeAll(async () => {
    const code = `const ffi = require("node:ffi");
      const { functions: c } = ffi.dlopen(null, { __errno_location: { arguments: [], return: "pointer" }, syscall: { arguments: ["i64", "i64", "i64", "i64", "i64", "i64", "i64"], return: "i64" } });
      const names = Object.fromEntries(Object.entries(${JSON.stringify(numbers)}).map(([name, number]) => [number, name]));
      const answers = {};
      for (const [name, number, ...args] of ${JSON.stringify(calls)}) {
        const [a = 0, b = 0, d = 0, e = 0, f = 0] = args.map((arg) => (arg === "PID" ? Number(process.env.PID) : arg));
        const result = c.syscall(BigInt(number), BigInt(a), BigInt(b), BigInt(d), BigInt(e), BigInt(f), 0n);
        const errno = ffi.getInt32(c.__errno_location(), 0);
        answers[name] = result < 0n ? names[errno] ?? "errno " + errno : "DONE " + result;
      }
      request.body = JSON.stringify(answers);`;
    answers = JSON.parse(await saidAlone(runtime, kept, code, attacked.aims)) as Record<string, string>;
  });

  it.each(calls.map(([name]) => name))("the kernel refuses %s", (name) => {
    expect(Object.keys(numbers)).toContain(answers[name]);
  });
});
