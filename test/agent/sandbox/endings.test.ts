import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scriptLimits } from "../../../src/agent/sandbox/script-limits.ts";
import { reachableLevels, SandboxUnderTest } from "./sandbox-under-test.ts";

const { levels, limitations } = await reachableLevels();
for (const limitation of limitations) process.stdout.write(`ends of scripts are not tested at ${limitation}\n`);
const limits = { ...scriptLimits, scriptMs: 700 };
const late = "setup script took longer than 0.7 s, the limit of a script";

/** B-11 to B-13: how a script ends, and the sentence for it. */
const endings: readonly (readonly [what: string, code: string, failure: string | RegExp])[] = [
  ["loops", "for (;;) {}", late],
  ["loops in microtasks", "const turn = () => Promise.resolve().then(turn); await turn()", late],
  ["meets a slow expression", '/^(a+)+$/.test("a".repeat(40) + "!")', late],
  ["waits with a timer", "setInterval(() => {}, 1000); await new Promise(() => {})", late],
  ["stops itself", 'process.kill(process.pid, "SIGSTOP"); await new Promise(() => setTimeout(() => {}, 1e6))', late],
  ["waits for nothing", "await new Promise(() => {})", "setup script waits for a promise that nothing will ever settle"],
  ["exits", "process.exit(0)", "setup script called process.exit(0) before it came to its end"],
  ["exits with a code", "await null; process.exit(7)", "setup script called process.exit(7) before it came to its end"],
  ["exits behind our back", "process.reallyExit(3)", "setup script ended its process (exit code 3) before it came to its end"],
  [
    "kills itself",
    'process.kill(process.pid, "SIGKILL"); for (;;) {}',
    "setup script ended its process (SIGKILL) before it came to its end",
  ],
  [
    "throws late",
    'setTimeout(() => { throw new Error("late") }, 1); await new Promise((r) => setTimeout(r, 100))',
    "setup script failed: Error: late (line 1)",
  ],
  [
    "leaves a rejection",
    'Promise.reject(new Error("left")); await new Promise((r) => setTimeout(r, 100))',
    "setup script failed: Error: left (line 1)",
  ],
  ["throws null", "throw null", "setup script failed: it threw null"],
  ["throws an object", "throw { code: 5 }", "setup script failed: it threw { code: 5 }"],
  [
    "throws in its third line",
    "const a = 1;\n\nnull.x",
    /^setup script failed: TypeError: Cannot read properties of null \(reading 'x'\) \(line 3\)$/,
  ],
  [
    "throws what cannot be read",
    "throw Object.defineProperty(new Error(), 'stack', { get() { throw 1 } })",
    "setup script failed: Error: ",
  ],
  ["cannot be read", "const a = 1;\nconst b = ;", /^setup script cannot be read: .*\(line 2\)$/],
  ["misses a package", 'require("left-pad")', /^setup script failed: Error: Cannot find module 'left-pad'/],
  ["fills the heap", "const all = []; for (;;) all.push(new Array(1e4).fill(1))", /memory/],
  ["fills memory with buffers", "const all = []; for (;;) all.push(Buffer.alloc(16 << 20, 1))", /memory|allocation failed/],
  [
    "writes without end",
    'for (;;) if (!process.stdout.write("y".repeat(65536))) await new Promise((go) => process.stdout.once("drain", go))',
    "setup script wrote more than 1 MB to its standard output",
  ],
  [
    "leaves too much",
    'request.body = "x".repeat(30e6)',
    /^setup script left a request, a response or variables that cannot be read: it is \d+ KB, and 2,048 KB are allowed$/,
  ],
  [
    "forges its outcome badly",
    'require("fs").writeSync(4, "{no json\\n"); for (;;) {}',
    "setup script disturbed the channel to the agent, so that its outcome cannot be told",
  ],
  ["sends a line without end", 'for (;;) require("fs").writeSync(4, "x".repeat(65536))', "setup script left more behind than 2 MB"],
];

function exactly(text: string): RegExp {
  return new RegExp(`^${RegExp.escape(text)}$`);
}

describe.each(levels)("at level %d", (level) => {
  let tested: SandboxUnderTest;
  let hasty: SandboxUnderTest;
  beforeAll(async () => {
    tested = await SandboxUnderTest.start({ highest: level });
    hasty = await SandboxUnderTest.start({ highest: level, limits });
  });
  afterAll(async () => {
    await tested[Symbol.asyncDispose]();
    await hasty[Symbol.asyncDispose]();
  });

  it.each(endings)("a script that %s fails with its own sentence", async (_what, code, failure) => {
    const outcome = await (failure === late ? hasty : tested).run(code);
    expect(outcome.failure).toMatch(typeof failure === "string" ? exactly(failure) : failure);
  });

  it("keeps 1 MB of an endless log, and says so", async () => {
    const { log, failure } = await tested.run('for (let n = 0; n < 3e6; n++) console.log("z".repeat(100))', {});
    expect(failure).toBeNull();
    expect(log.at(-1)?.msg).toBe("The log is full: what follows is left out (1 MB)");
    expect(log.reduce((bytes, { msg }) => bytes + msg.length, 0)).toBeLessThanOrEqual(1024 * 1024 + 100);
  });

  it("gives each script its own time, and names the one that took too long", async () => {
    const wait = "await new Promise((r) => setTimeout(r, 400))";
    expect((await hasty.run([wait, wait])).failure).toBeNull();
    expect((await hasty.run([wait, "for (;;) {}"])).failure).toBe("setup script 2 took longer than 0.7 s, the limit of a script");
  });

  it("goes on with others while some fill their memory (B-12)", async () => {
    const bombs = Array.from({ length: 3 }, () => tested.run("const all = []; for (;;) all.push(Buffer.alloc(8 << 20, 1))"));
    expect(await tested.said('request.body = "well"')).toBe("well");
    for (const { failure } of await Promise.all(bombs)) expect(failure).toMatch(/memory|allocation/i);
  });
});
