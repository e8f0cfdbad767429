import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { openStorage } from "../src/control-plane/storage/open-storage.ts";
import type { Storage } from "../src/control-plane/storage/storage.ts";
import { percentile, table } from "./support/processes.ts";

/**
 * How long a small write to a SQLite store waits while its file gives back what was deleted, beside how long it waits else, in turns: a
 * few seconds of either. Nothing of the file is in this process's cache.
 *
 *   B bench/free-pages.ts [megabytes, 1000] [seconds of a turn, 3]
 */
const [megabytes = 1_000, seconds = 3] = process.argv.slice(2).map(Number);
const dataDir = mkdtempSync(join(tmpdir(), "outpost-bench-"));
const path = join(dataDir, "outpost.db");
await (await openStorage({ dataDir, nowMs: Date.now() })).close();
fillAndDelete(megabytes * 1_000_000);
const before = statSync(path).size;
const storage = await openStorage({ dataDir, nowMs: Date.now() });
const [quiet, busy]: [number[], number[]] = [[], []];
for (let more = true; more; ) {
  quiet.push(...(await waitsOf(storage, pause(1_000 * seconds))));
  const giving = (async () => {
    const endMs = performance.now() + 1_000 * seconds;
    // As retention does: a turn, and a breath.
    while (more && performance.now() < endMs) [{ more }] = await Promise.all([storage.results.prune(1, 5_000), pause(250)]);
  })();
  busy.push(...(await waitsOf(storage, giving)));
}
await storage.close();
const row = (name: string, waits: readonly number[]): readonly string[] => [
  name,
  String(waits.length),
  ...[50, 99, 100].map((p) => percentile(waits, p).toFixed(1)),
];
process.stdout.write(
  `${table([["ms a write", "writes", "p50", "p99", "longest"], row("else", quiet), row("while space is given back", busy)])}
the file: ${(before / 1e6).toFixed(0)} MB before, ${(statSync(path).size / 1e6).toFixed(0)} MB after\n`,
);
rmSync(dataDir, { recursive: true });

function fillAndDelete(bytes: number): void {
  const db = new DatabaseSync(path);
  const insert = db.prepare("insert into result_details (id, started_at_us, dictionary, body) values (?, ?, 1, ?)");
  const rows = bytes / 4_000;
  for (let no = 1; no <= rows; no += 1) {
    if (no % 10_000 === 1) db.exec("begin");
    insert.run(no, 1, Buffer.alloc(4_000, no));
    if (no % 10_000 === 0 || no === Math.floor(rows)) db.exec("commit");
  }
  // Two of three, all over the file: what stays has to move.
  db.exec("delete from result_details where id / 8 % 3 > 0");
  db.close();
}

async function waitsOf(of: Storage, during: Promise<unknown>): Promise<readonly number[]> {
  const waits: number[] = [];
  let isOver = false;
  const over = during.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const startedMs = performance.now();
    await of.marks.replace("written meanwhile", String(waits.length));
    waits.push(performance.now() - startedMs);
    await pause(5);
  }
  await over;
  return waits;
}
