import { chmodSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeRunFolder, removeOldRuns } from "../../../src/agent/playwright/run-folder.ts";

const minuteMs = 60_000;

describe("folders of runs", () => {
  it("of agents that were killed go; those of others that share the volume stay", async () => {
    const folder = mkdtempSync(join(tmpdir(), "outpost-runs-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const nowMs = Date.now();
    const aged = (path: string, minutes: number): void => utimesSync(path, nowMs / 1_000, (nowMs - minutes * minuteMs) / 1_000);
    const [left, running, waiting] = [
      await makeRunFolder(folder, null),
      await makeRunFolder(folder, null),
      await makeRunFolder(folder, null),
    ];
    mkdirSync(join(left.run, "work/closed/in"), { recursive: true });
    chmodSync(join(left.run, "work/closed"), 0);
    aged(join(left.run, ".."), 31);
    aged(join(waiting.run, ".."), 29);
    writeFileSync(join(folder, "run-old-trace.zip"), "");
    aged(join(folder, "run-old-trace.zip"), 31);
    mkdirSync(join(folder, "tools"));
    aged(join(folder, "tools"), 31);
    await removeOldRuns(folder, nowMs);
    const stay = [running, waiting].map(({ run }) => run.split("/").at(-2) ?? "");
    expect(new Set(readdirSync(folder))).toEqual(new Set([...stay, "tools"]));
  });

  it("go with trees that are deeper than a path may be long, also when the run ends itself", async () => {
    const folder = mkdtempSync(join(tmpdir(), "outpost-runs-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const made = [await makeRunFolder(folder, null), await makeRunFolder(folder, null), await makeRunFolder(folder, null)] as const;
    for (const { run } of made) nest(join(run, "work"));
    await made[0].remove();
    expect(readdirSync(folder)).toHaveLength(2);
    await removeOldRuns(folder, Date.now() + 31 * minuteMs);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("that are not there are nothing to do", async () => {
    await expect(removeOldRuns(join(tmpdir(), "outpost-no-such-folder"), Date.now())).resolves.toBeUndefined();
  });
});

/** Folders in one another, of 10,000 characters as a path, closed in the middle. */
function nest(folder: string): void {
  const level = `${"d".repeat(200)}/`.repeat(10);
  for (let nth = 0; nth < 5; nth += 1) {
    mkdirSync(join(folder, "next", level), { recursive: true });
    if (nth > 0) renameSync(join(folder, "deep"), join(folder, "next", level, "deep"));
    if (nth === 2) chmodSync(join(folder, "next", "d".repeat(200)), 0o500);
    renameSync(join(folder, "next"), join(folder, "deep"));
  }
}
