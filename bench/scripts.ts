import { systemClock } from "../src/agent/host/clock.ts";
import { createEgressPolicy } from "../src/agent/net/egress-policy.ts";
import { createStubResolver } from "../src/agent/net/stub-resolver.ts";
import { createSandbox, type ScriptSandbox } from "../src/agent/sandbox/create-sandbox.ts";
import type { SandboxLevel, ScriptPhase } from "../src/agent/sandbox/sandbox.ts";
import { scriptLimits } from "../src/agent/sandbox/script-limits.ts";
import { makeScriptRuntime } from "../test/support/script-runtime.ts";
import { percentile, table } from "./support/processes.ts";

/**
 * What a script costs: on a child that waits for it (aim 3 ms at most), on fresh ones as fast as they start (aim 25 a second at level 2),
 * and how long a child lives after its limit (aim 200 ms at most). At each level that this machine reaches.
 *
 *   B bench/scripts.ts [phases, 100]
 */
const [phases = 100] = process.argv.slice(2).map(Number);
const quiet = { info() {}, warn() {} } as never;
await using runtime = await makeScriptRuntime();

const code = `
const { createHmac } = require("crypto");
request.headers["X-Signature"] = createHmac("sha256", process.env.KEY).update(request.body).digest("hex");
console.log("signed");`;

const egress = createEgressPolicy({ allowCidrs: [], denyCidrs: [], mode: "default", ownPorts: [] });
const network = { resolver: createStubResolver(), egress, proxyUrl: null };

function phase(script: string): ScriptPhase {
  return {
    runtimeId: runtime.runtimeId,
    phase: "setup",
    scripts: [{ name: "setup script", code: script }],
    snippets: {},
    env: { KEY: "s3cr3t" },
    request: { method: "POST", url: "http://127.0.0.1/", body: "x".repeat(1_000), headers: {}, queryParameters: {} },
    response: null,
    network,
    signal: new AbortController().signal,
  };
}

async function sandboxAt(highest: SandboxLevel, concurrency: number, scriptMs = scriptLimits.scriptMs): Promise<ScriptSandbox> {
  const limits = { ...scriptLimits, scriptMs };
  const options = { runtimesFolder: runtime.folder, concurrency, wanted: "auto", log: quiet, clock: systemClock, limits, highest } as const;
  return createSandbox(options);
}

/** One after the other, each when its child waits. */
async function warmMs(sandbox: ScriptSandbox): Promise<number[]> {
  const times: number[] = [];
  await runOk(sandbox);
  for (let n = 0; n < phases; n += 1) {
    while (sandbox.state().warm === 0) await pause(5);
    await pause(300); // until it is ready, and the processor is idle again
    const startMs = performance.now();
    await runOk(sandbox);
    times.push(performance.now() - startMs);
  }
  return times;
}

async function freshPerSecond(sandbox: ScriptSandbox): Promise<number> {
  await Promise.all([1, 2, 3, 4].map(() => runOk(sandbox)));
  const startMs = performance.now();
  await Promise.all(Array.from({ length: phases }, () => runOk(sandbox)));
  return phases / ((performance.now() - startMs) / 1_000);
}

async function killMs(sandbox: ScriptSandbox, scriptMs: number): Promise<number[]> {
  const times: number[] = [];
  await runOk(sandbox);
  for (let n = 0; n < 10; n += 1) {
    await pause(150);
    const startMs = performance.now();
    const { failure } = await sandbox.run(phase("for (;;) {}"));
    if (failure === null) throw new Error("a loop came to its end");
    times.push(performance.now() - startMs - scriptMs);
  }
  return times;
}

async function runOk(sandbox: ScriptSandbox): Promise<void> {
  const { failure } = await sandbox.run(phase(code));
  if (failure !== null) throw new Error(failure);
}

function pause(ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, ms);
  return promise;
}

const rows: string[][] = [["level", "warm p50, ms", "warm p95, ms", "fresh a second", "killed after, worst ms"]];
for (const level of [1, 2, 3] as const) {
  const one = await sandboxAt(level, 1);
  const reached = one.level;
  const limitation = one.limitation;
  if (reached !== level) {
    console.log(`level ${level} is not measured: ${limitation}`);
    await one.close();
    continue;
  }
  const warm = (await warmMs(one)).toSorted((a, b) => a - b);
  await one.close();
  const many = await sandboxAt(level, 4);
  const fresh = await freshPerSecond(many);
  await many.close();
  const killing = await sandboxAt(level, 1, 500);
  const kills = (await killMs(killing, 500)).toSorted((a, b) => a - b);
  await killing.close();
  rows.push([
    String(level),
    percentile(warm, 50).toFixed(2),
    percentile(warm, 95).toFixed(2),
    fresh.toFixed(1),
    (kills.at(-1) ?? Number.NaN).toFixed(1),
  ]);
}
console.log(table(rows));
