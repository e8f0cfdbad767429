import { openStorage } from "../../../src/control-plane/storage/open-storage.ts";
import { agent, lease, report, scene, start, t0 } from "./fixture-data.ts";

/*
 * Writes results until it is killed, and prints the number of each job once its FINAL was accepted.
 * Arguments: data folder, database URL or nothing.
 */
const [dataDir = "", databaseUrl = ""] = process.argv.slice(2);
const storage = await openStorage({ dataDir, nowMs: t0, ...(databaseUrl ? { databaseUrl } : {}) });
const { check: of, berlin } = await scene(storage);
const by = await agent(storage, berlin);
process.stdout.write(`check ${of.id}\n`);
for (let turn = 1; ; turn += 1) {
  await Promise.all(Array.from({ length: 5 }, () => start(storage, of, [berlin.id], t0 + turn)));
  const jobs = await lease(storage, by, t0 + turn, 100);
  await Promise.all(
    jobs.map(async (job) => {
      const [answer] = await storage.results.ingest(by, [report(job)], t0 + turn + 1_000);
      if (answer?.outcome === "accepted") process.stdout.write(`${job.no}\n`);
    }),
  );
}
