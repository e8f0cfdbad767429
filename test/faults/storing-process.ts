import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openStorage } from "../../src/control-plane/storage/open-storage.ts";
import { agent, check, lease, report, scene, start, t0 } from "../control-plane/storage/fixture-data.ts";

/*
 * Creates checks and stores results until it is killed, and prints each once the store has acknowledged it: `check` with its number,
 * `result` with the number of its job. Arguments: data folder, `full` or `normal`.
 */
const [dataDir = "", synchronous = ""] = process.argv.slice(2);
const storage = await openStorage({ dataDir, nowMs: t0, synchronous: synchronous === "normal" ? "normal" : "full" });
const { check: of, berlin, account } = await scene(storage);
const by = await agent(storage, berlin);
const other = new DatabaseSync(join(dataDir, "outpost.db"));
for (let turn = 1; ; turn += 1) {
  if (turn % 5 === 0) other.exec("pragma wal_checkpoint(passive)"); // the store itself does so each 32 MB
  await Promise.all(Array.from({ length: 3 }, () => start(storage, of, [berlin.id], t0 + turn)));
  const created = check(storage, account.id, [berlin.id]).then(({ id }) => process.stdout.write(`check ${id}\n`));
  const jobs = await lease(storage, by, t0 + turn, 100);
  await Promise.all(
    jobs.map(async (job) => {
      const [answer] = await storage.results.ingest(by, [report(job)], t0 + turn + 1_000);
      if (answer?.outcome === "accepted") process.stdout.write(`result ${job.no}\n`);
    }),
  );
  await created;
}
