import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openSqliteLog } from "../../../src/control-plane/storage/dialects/sqlite-log.ts";

const folders: string[] = [];
const kept = await open(import.meta.filename);
const fileHandle = Object.getPrototypeOf(kept) as typeof kept;
await kept.close();

afterEach(() => {
  vi.restoreAllMocks();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

describe("the log of a SQLite database", () => {
  it("is synced once for all who ask while a sync runs", async () => {
    const log = madeLog();
    const syncs = vi.spyOn(fileHandle, "datasync");
    await Promise.all(Array.from({ length: 100 }, () => log.synced()));
    expect(syncs).toHaveBeenCalledTimes(1);
    const first = log.synced();
    await new Promise(setImmediate); // it has begun: what comes now may have been written after that
    await Promise.all([first, ...Array.from({ length: 100 }, () => log.synced())]);
    expect(syncs).toHaveBeenCalledTimes(3);
    await log.close();
  });

  it("does not trust a disk again that refused once", async () => {
    const log = madeLog();
    vi.spyOn(fileHandle, "datasync").mockRejectedValueOnce(Object.assign(new Error("i/o error"), { code: "EIO" }));
    const refused = {
      code: "unavailable",
      message: "the database cannot be synced to its disk (EIO); look at the disk, then start Outpost anew",
    };
    await expect(log.synced()).rejects.toMatchObject(refused);
    await expect(log.synced()).rejects.toMatchObject(refused);
    await log.close();
  });

  it("says so where there is none", async () => {
    const log = openSqliteLog(join(madeFolder(), "outpost.db"));
    await expect(log.synced()).rejects.toMatchObject({ code: "unavailable", message: expect.stringContaining("ENOENT") });
    await log.close();
  });
});

function madeLog() {
  const folder = madeFolder();
  writeFileSync(join(folder, "outpost.db-wal"), "");
  return openSqliteLog(join(folder, "outpost.db"));
}

function madeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "outpost-log-"));
  folders.push(folder);
  return folder;
}
