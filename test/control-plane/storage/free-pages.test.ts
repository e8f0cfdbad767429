import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { openStorage } from "../../../src/control-plane/storage/open-storage.ts";
import type { Storage } from "../../../src/control-plane/storage/storage.ts";
import { t0, useEngines } from "./fixture.ts";

const engines = await useEngines();
const keptBytes = 2_000 * 8_192;

it("gives the space of what was deleted back to the disk, while others write", async () => {
  const { dataDir } = await engines.place("sqlite");
  const path = join(dataDir, "outpost.db");
  fillAndDelete(path, 60_000_000);
  const before = statSync(path).size;
  // Without waiting for the disk, which may be slow enough for few writes alone to fit in.
  const storage = await openStorage({ dataDir, nowMs: t0, synchronous: "normal" });
  const waits = await waitsWhile(storage, async () => {
    let turns = 1;
    while ((await storage.results.prune(t0, 1_000)).more) turns += 1;
    expect(turns, "not all in one turn").toBeGreaterThan(2);
  });
  expect(waits.length, "writes between its steps").toBeGreaterThan(30);
  // A step takes some milliseconds; how long a write waits in all is measured by bench/free-pages.ts.
  expect(Math.max(...waits)).toBeLessThan(2_000);
  await storage.close();
  expect(statSync(path).size).toBeLessThan(keptBytes + before / 10);
}, 60_000);

it("keeps some free pages for what comes next", async () => {
  const { dataDir } = await engines.place("sqlite");
  fillAndDelete(join(dataDir, "outpost.db"), 10_000_000);
  const before = statSync(join(dataDir, "outpost.db")).size;
  const storage = await openStorage({ dataDir, nowMs: t0 });
  expect(await storage.results.prune(t0, 1_000)).toEqual({ deleted: 0, more: false });
  await storage.close();
  expect(statSync(join(dataDir, "outpost.db")).size).toBe(before);
});

/** Leaves so many bytes of free pages before what is still needed, as old details do. */
function fillAndDelete(path: string, bytes: number): void {
  const db = new DatabaseSync(path);
  const insert = db.prepare("insert into result_details (id, started_at_us, dictionary, body) values (?, ?, 1, ?)");
  db.exec("begin");
  for (let no = 1; no <= bytes / 4_000; no += 1) insert.run(no, t0 * 1_000, Buffer.alloc(4_000, no));
  db.exec(`delete from result_details where id < ${bytes / 4_000 - 100}`);
  db.exec("commit");
  db.close();
}

/** @returns milliseconds of each write, one after the other */
async function waitsWhile(storage: Storage, work: () => Promise<void>): Promise<readonly number[]> {
  const waits: number[] = [];
  let isWorking = true;
  const working = work().finally(() => {
    isWorking = false;
  });
  while (isWorking) {
    const startedMs = performance.now();
    await storage.marks.replace("written meanwhile", String(waits.length));
    waits.push(performance.now() - startedMs);
  }
  await working;
  return waits;
}
