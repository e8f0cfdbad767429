import { mkdtempSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeFolder } from "#daemon/make-folder.ts";

describe("makeFolder", () => {
  const base = mkdtempSync(join(tmpdir(), "folder-"));

  it("makes a folder with those above it for this user alone, and leaves it when it is there", async () => {
    const path = join(base, "a", "b");
    await makeFolder(path);
    await makeFolder(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  it("says that it cannot where the file system makes no folders, and does not try for ever", async () => {
    await expect(makeFolder("/proc/outpost/data")).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("says that a file stands in the way", async () => {
    writeFileSync(join(base, "file"), "");
    await expect(makeFolder(join(base, "file", "data"))).rejects.toMatchObject({ code: "ENOTDIR" });
  });
});
