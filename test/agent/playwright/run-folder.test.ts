import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
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

  it("that are not there are nothing to do", async () => {
    await expect(removeOldRuns(join(tmpdir(), "outpost-no-such-folder"), Date.now())).resolves.toBeUndefined();
  });
});
