import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { resultId } from "../../src/control-plane/storage/numbers.ts";
import { copyMigratedStore } from "../support/migrated-store.ts";
import { until } from "../support/processes.ts";
import { randomFrom } from "../support/random-from.ts";
import { noRecorder, RecordedDisk, readRecord, recorded } from "./disk-recorder.ts";

const acknowledgements = 600;
const seed = Number(process.env["OUTPOST_TEST_SEED"] ?? 20_261_123);
const place = mkdtempSync(join(tmpdir(), "outpost-power-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** What a store did to its disk while it acknowledged results and checks, with its lines in the file `acks`. */
async function recordOf(synchronous: "full" | "normal") {
  const folder = join(place, synchronous);
  const record = `${folder}.record`;
  mkdirSync(folder);
  await copyMigratedStore(folder);
  const base = readFileSync(join(folder, "outpost.db"));
  const acks = openSync(join(folder, "acks"), "a");
  const program = fileURLToPath(new URL("storing-process.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=source", "--disable-warning=ExperimentalWarning", program, folder, synchronous], {
    stdio: ["ignore", acks, "inherit"],
    env: { ...process.env, ...recorded(folder, record) },
  });
  const exited = once(child, "exit");
  closeSync(acks);
  await until("enough is acknowledged", () => linesOf(readFileSync(join(folder, "acks"))).length > acknowledgements, 30_000);
  child.kill("SIGKILL");
  await exited;
  return { base, events: readRecord(record) };
}

function linesOf(acks: Buffer): readonly string[] {
  return acks.toString().split("\n").slice(0, -1);
}

/** What of it was acknowledged before the power went and is not in the store, or why the store cannot be read. */
function lossesIn(folder: string, acknowledged: readonly string[]): readonly string[] {
  const db = new DatabaseSync(join(folder, "outpost.db"));
  try {
    const whole = db.prepare("pragma quick_check").get()?.["quick_check"];
    const results = new Set(
      db
        .prepare("select id from results")
        .all()
        .map((row) => row["id"]),
    );
    const checks = new Set(
      db
        .prepare("select id from checks")
        .all()
        .map((row) => row["id"]),
    );
    const isThere = (line: string): boolean => {
      const [kind, no] = line.split(" ");
      return kind === "check" ? checks.has(Number(no)) : results.has(resultId(Number(no), 1));
    };
    return [...(whole === "ok" ? [] : [String(whole)]), ...acknowledged.filter((line) => !isThere(line))];
  } finally {
    db.close();
  }
}

/** Cuts the power at random moments. @returns how many of them lost something, and the first loss */
async function cuts(synchronous: "full" | "normal", moments: number) {
  const { base, events } = await recordOf(synchronous);
  const disk = new RecordedDisk();
  disk.apply({ kind: "write", name: "outpost.db", at: 0, bytes: base });
  for (const kind of ["sync-begins", "sync-ended"] as const) disk.apply({ kind, name: "outpost.db", at: -1 });
  const first = events.findIndex(({ name }) => name === "acks");
  const random = randomFrom(seed);
  const wanted = new Set(Array.from({ length: moments }, () => first + Math.floor(random() * (events.length - first))));
  const lost: string[] = [];
  for (const [index, event] of events.entries()) {
    disk.apply(event);
    if (!wanted.has(index)) continue;
    const folder = join(place, "cut");
    disk.cut(folder, random);
    const [loss] = lossesIn(folder, linesOf(disk.seen("acks")));
    if (loss !== undefined) lost.push(`event ${index} of ${events.length}: ${loss}`);
    rmSync(folder, { recursive: true });
  }
  return { cuts: wanted.size, lost };
}

describe.skipIf(noRecorder)(`a power cut that tears what was not synced (seed ${seed})`, () => {
  it("takes nothing back that was acknowledged, at 500 moments", { timeout: 120_000 }, async () => {
    const { cuts: tried, lost } = await cuts("full", 540);
    expect(lost).toEqual([]);
    expect(tried).toBeGreaterThanOrEqual(500); // two may be alike
  });

  it("may take some back with SQLITE_SYNCHRONOUS=normal, which shows that the cuts are real", { timeout: 120_000 }, async () => {
    const { lost } = await cuts("normal", 60);
    expect(lost.length).toBeGreaterThan(0);
    expect(lost.every((line) => /: (check|result) \d+$/.test(line))).toBe(true); // never a damaged file
  });
});
