import { Pool } from "undici";
import { cpuSeconds, memoryMb, percentile, table } from "./support/processes.ts";
import { Site } from "./support/site.ts";
import { startRuns, Uploads } from "./support/uploads.ts";

/**
 * What a list of 100 results with their details costs a control plane on SQLite: processor time, which other programs on the machine change
 * little, beside the time to the answer. The results are uploaded first, so that their details lie together as they do.
 *
 *   npm run build && B bench/result-lists.ts [results, 20000] [lists of a round, 100] [rounds, 5]
 */
const [results = 20_000, lists = 100, rounds = 5] = process.argv.slice(2).map(Number);
const checkCount = 10;

await using site = await Site.make("sqlite", checkCount);
const uuids = await site.withStorage(async (storage, _account, checks) => {
  await startRuns(storage, checks, results);
  return checks.map(({ uuid }) => uuid);
});
const { process: controlPlane, url } = await site.start();
await using _controlPlane = controlPlane;
const uploads = await Uploads.open(url, site.locationKey, 4);
await uploads.lease(results, 500);
await uploads.send();
await uploads.close();

const pool = new Pool(url, { connections: 1 });
const headers = { authorization: `Bearer ${site.apiKey}` };
for (let turn = 0; turn < lists; turn += 1) await list(turn);
const rows = [["", "CPU ms per list", "p50 ms", "p95 ms"]];
for (let round = 1; round <= rounds; round += 1) {
  const times: number[] = [];
  const cpu = cpuSeconds(controlPlane.pid);
  for (let turn = 0; turn < lists; turn += 1) times.push(await list(turn));
  const cpuMs = ((cpuSeconds(controlPlane.pid) - cpu) * 1_000) / lists;
  rows.push([`round ${round}`, ...[cpuMs, percentile(times, 50), percentile(times, 95)].map((ms) => ms.toFixed(1))]);
}
process.stdout.write(`\n${table(rows)}\nmemory at most ${memoryMb(controlPlane.pid).peak.toFixed(0)} MB\n`);
await pool.close();

/** @returns milliseconds until the whole answer was there */
async function list(turn: number): Promise<number> {
  const started = performance.now();
  const { statusCode, body } = await pool.request({
    method: "GET",
    path: `/v2/check-results/${uuids[turn % checkCount]}?limit=100`,
    headers,
  });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`a list was answered ${statusCode} ${text}`);
  return performance.now() - started;
}
