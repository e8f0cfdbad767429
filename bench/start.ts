import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeControlPlane } from "../test/support/fake-control-plane.ts";
import { freePort } from "../test/support/free-ports.ts";
import { outpost, table, untilOk } from "./support/processes.ts";

/**
 * From the start of the process to its readiness, milliseconds, the median of 5.
 *
 *   node --conditions=source bench/start.ts
 */
const rows = [["", "start to ready ms"]];
rows.push(["agent", median(await repeat(startAgent))]);
rows.push(["control plane, new folder", median(await repeat(startControlPlane))]);
console.log(`\n${table(rows)}\n`);

async function startAgent(): Promise<number> {
  await using controlPlane = await FakeControlPlane.start();
  const port = await freePort();
  const env = {
    API_KEY: controlPlane.key,
    API_URL: controlPlane.url.href,
    AGENT_HEALTH_PORT: String(port),
    DATA_DIR: folder(),
    LOG_LEVEL: "WARN",
  };
  await using _agent = outpost("agent", env);
  return await untilOk(`http://127.0.0.1:${port}/-/readiness`);
}

async function startControlPlane(): Promise<number> {
  const port = await freePort();
  await using _controlPlane = outpost("control-plane", { PORT: String(port), DATA_DIR: folder(), LOG_LEVEL: "WARN" });
  return await untilOk(`http://127.0.0.1:${port}/-/readiness`);
}

async function repeat(once: () => Promise<number>): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < 5; n += 1) times.push(await once());
  return times;
}

function median(times: readonly number[]): string {
  return (times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN).toFixed(0);
}

function folder(): string {
  return mkdtempSync(join(tmpdir(), "outpost-bench-"));
}
