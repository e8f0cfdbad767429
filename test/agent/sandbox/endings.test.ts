import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { scriptLimits } from "../../../src/agent/sandbox/script-limits.ts";
import { reachableLevels, SandboxUnderTest } from "./sandbox-under-test.ts";

const { levels, limitations } = await reachableLevels();
for (const limitation of limitations) process.stdout.write(`ends of scripts are not tested at ${limitation}\n`);
const limits = { ...scriptLimits, scriptMs: 1_000 };
const late = "setup script took longer than 1 s, the limit of a script";

type Ending = readonly [what: string, code: string, failure: string | RegExp];

/** B-11: how a script ends, and the sentence for it. */
const endings: readonly Ending[] = [
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
];

/** B-13: more than may come out of it. */
const floods: readonly Ending[] = [
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
    "leaves 300 MB",
    'request.body = "x".repeat(300e6)',
    /^setup script (took more memory than a script may have \(256 MB\)|left .* 2,048 KB are allowed)$/,
  ],
];

const disturbed = "setup script disturbed the channel to the agent, so that its outcome cannot be told";
const forged = (line: string): string => `require("fs").writeSync(4, ${line}); for (;;) {}`;
const left = '"request":{"method":"GET","url":"","body":"","headers":{},"queryParameters":{}},"response":null';

/** B-15: a script on the channel to the agent. */
const forgeries: readonly Ending[] = [
  ["writes what is no JSON", forged('"{no json\\n"'), disturbed],
  ["says what no child says", forged(`'{"t":"evil"}\\n'`), disturbed],
  ["leaves 5,000 names", forged(`'{"t":"end",${left},"env":' + JSON.stringify({ ...Array(5_000).fill("") }) + "}\\n"`), disturbed],
  ["leaves names for numbers", forged(`'{"t":"end",${left},"env":{"a":1}}\\n'`), disturbed],
  ["nests a million lists", forged(`'{"t":"end",${left},"env":' + "[".repeat(9e5) + "]".repeat(9e5) + "}\\n"`), disturbed],
  ["begins again and again", `for (;;) require("fs").writeSync(4, '{"t":"script","index":0}\\n'.repeat(500))`, disturbed],
  ["begins scripts that there are not", `require("fs").writeSync(4, '{"t":"script","index":1000}\\n'); for (;;) {}`, late],
  ["sends a line without end", 'for (;;) require("fs").writeSync(4, "x".repeat(65536))', "setup script left more behind than 2 MB"],
  ["closes the channel", 'require("fs").closeSync(4)', /^setup script (ended its process|took longer)/],
  [
    "breaks what writes to it",
    'require("fs").writeSync = () => { throw new Error("no") }; Buffer.from = null',
    /^setup script (ended its process|took longer)/,
  ],
  ["asks the agent to end well, twice", forged(`('{"t":"end",${left},"env":{},"failure":null}\\n').repeat(2)`), disturbed],
];

/** B-12 */
const bombs = [
  "const all = []; for (;;) all.push(new Array(1e4).fill(1))",
  "const all = []; for (;;) all.push(Buffer.alloc(16 << 20, 1))",
  'const all = []; for (let n = 0; ; n++) all.push(Buffer.from("x".repeat(8e6) + n).toString("latin1"))',
  "const all = []; for (;;) all.push(new SharedArrayBuffer(16 << 20)), new Uint8Array(all.at(-1)).fill(1)",
];

const all = Object.entries({ "B-11": endings, "B-13": floods, "B-15": forgeries }).flatMap(([id, some]) =>
  some.map(([what, code, failure]) => [what, id, code, failure] as const),
);

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

  it.concurrent.each(all)("a script that %s fails with its own sentence (%s)", async (_what, _case, code, failure) => {
    const outcome = await (failure === late ? hasty : tested).run(code);
    expect(outcome.failure).toMatch(typeof failure === "string" ? exactly(failure) : failure);
  });

  it("what a script forges is its own outcome and nothing else (B-15)", async () => {
    const line = JSON.stringify({
      t: "end",
      request: { headers: {}, queryParameters: {} },
      response: { body: "forged", statusCode: 500 },
      env: {},
    });
    const response = { statusCode: 200, statusText: "OK", body: "", headers: {}, timings: {}, timingPhases: {} };
    const outcome = await tested.run(`require("fs").writeSync(4, ${JSON.stringify(`${line}\n`)}); for (;;) {}`, {
      phase: "teardown",
      response,
    });
    expect(outcome).toMatchObject({ failure: null, response: { ...response, body: "forged" }, request: { url: "http://127.0.0.1/" } });
  });

  it("what a script writes to the way in is read by nobody (B-15)", async () => {
    expect(await tested.said('require("fs").writeSync(3, "x".repeat(1000)); request.body = "ok"')).toBe("ok");
  });

  it("what a script puts into prototypes is no part of its outcome (B-15)", async () => {
    const poison = "Object.prototype.toJSON = () => ({ t: 'evil' }); Object.prototype.kind = 'evil'; Array.prototype.join = null;";
    expect(await tested.said(`${poison} request.body = "ok"`)).toBe("ok");
  });

  it("keeps 1 MB of an endless log, and says so (B-13)", async () => {
    const { log, failure } = await tested.run('for (let n = 0; n < 3e6; n++) console.log(n % 2 ? "z".repeat(100) : "")');
    expect(failure).toBeNull();
    expect(log.at(-1)?.msg).toBe("The log is full: what follows is left out (1 MB)");
    expect(log.reduce((bytes, { msg }) => bytes + msg.length, 0)).toBeLessThanOrEqual(1024 * 1024 + 100);
  });

  it("gives each script its own time, and names the one that took too long", async () => {
    const wait = "await new Promise((r) => setTimeout(r, 600))";
    expect((await hasty.run([wait, wait])).failure).toBeNull();
    expect((await hasty.run([wait, "for (;;) {}"])).failure).toBe("setup script 2 took longer than 1 s, the limit of a script");
  });

  it("ten that fill their memory take none of the agent's, and others go on (B-12)", async () => {
    await using many = await SandboxUnderTest.start({ highest: level, concurrency: 11 });
    const before = process.memoryUsage.rss();
    let most = before;
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 10);
    onTestFinished(() => clearInterval(watch));
    const running = Array.from({ length: 10 }, (_, n) => many.run(bombs[n % bombs.length] ?? ""));
    expect(await many.said('request.body = "well"')).toBe("well");
    for (const { failure } of await Promise.all(running)) expect(failure).toMatch(/memory|allocation|Invalid string length/i);
    expect(most - before).toBeLessThan(50 * 1024 * 1024);
  }, 120_000);
});
