import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { tries } from "../../attacks/cases.ts";
import { noNamespaces } from "../../support/namespace.ts";
import { runtimesFolder } from "../../support/playwright-runtime.ts";
import { missing } from "./engine-under-test.ts";
import type { ChildRun } from "./run-child.ts";

if (noNamespaces !== null) process.stdout.write(`runs on poor hosts are not tried: ${noNamespaces}\n`);

/** What a browser check comes to where the file system is another one; `DATA` in the words is the folder of runs. */
async function onHost(mounts: string, body: string): Promise<ChildRun> {
  const folder = mkdtempSync("/var/tmp/outpost-host-");
  chmodSync(folder, 0o711);
  const child = join(import.meta.dirname, "run-child.ts");
  const script = `const { expect, test } = require("@playwright/test"); const fs = require("node:fs");
    test("x", async ({ page }) => { await page.setContent("<h1>x</h1>"); ${body} });`;
  const start = `${mounts.replaceAll("DATA", folder)}; exec "$0" --disable-warning=ExperimentalWarning --conditions=source "$1" BROWSER "$2"`;
  const words = ["--mount", "--propagation", "private", "sh", "-ec", start, process.execPath, child, script];
  try {
    const started = spawn("unshare", words, {
      env: { PATH: process.env["PATH"], TMPDIR: folder, OUTPOST_TEST_RUNTIMES: runtimesFolder },
      stdio: ["ignore", "pipe", "inherit"],
    });
    return JSON.parse(await text(started.stdout)) as ChildRun;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const own = "mount -t tmpfs -o size=300m,mode=711 none DATA";
/** All but 4 KB of the disk. */
const fill = `const all = fs.openSync("all", "w"); let code; try { for (;;) fs.writeSync(all, Buffer.alloc(4096)); } catch (error) { code = error.code; }
  fs.closeSync(all); expect(code).toBe("ENOSPC");`;

describe.skipIf(missing !== null || noNamespaces !== null)("a browser check on a host", { timeout: 120_000 }, () => {
  it.each([
    ["with 64 MB of /dev/shm", `${own}; mount -t tmpfs -o size=64m none /dev/shm`],
    ["whose root can only be read", `${own}; mount -o remount,ro,bind /`],
    ["without a /tmp that can be written", `${own}; mount --bind /tmp /tmp; mount -o remount,ro,bind /tmp`],
    ["without /proc/sys", `${own}; mount -t tmpfs none /proc/sys`],
  ])("%s draws a page and takes its picture", tries("F6", "passes, and leaves nothing"), async (_what, mounts) => {
    const body = 'expect((await page.screenshot()).length).toBeGreaterThan(500); await expect(page.locator("h1")).toBeVisible();';
    expect(await onHost(mounts, body)).toMatchObject({ outcome: "passed", failure: null, errors: [], limitation: null, left: 0 });
  });

  it(
    "without fonts is not offered, as elements with text would have no size",
    tries("F6", "refused at the start, with what to install"),
    async () => {
      const told = await onHost(`${own}; mount -t tmpfs none /usr/share/fonts`, "");
      expect(told).toMatchObject({ outcome: "refused", limitation: expect.stringContaining("fonts-dejavu-core") as unknown });
    },
  );

  it("whose disk is full keeps its verdict where it passes", tries("F5", "the verdict stands"), async () => {
    const told = await onHost(own.replace("300m", "60m"), `${fill} await page.locator("h1").click();`);
    expect(told).toMatchObject({ outcome: "passed", errors: [], files: [], left: 0 });
  });

  it(
    "whose disk is full keeps its verdict where it fails, and says why a file is not there",
    tries("F5", "an error says ENOSPC, a line of the log what may be missing; no broken trace is kept"),
    async () => {
      const told = await onHost(own.replace("300m", "60m"), `${fill} await expect(page.locator("h1")).toHaveText("y", { timeout: 300 });`);
      expect(told).toMatchObject({ outcome: "failed", failure: null, left: 0 });
      expect(told.errors[0]).toContain('Expected: "y"');
      expect(told.errors.slice(1).join()).toContain("ENOSPC");
      expect(told.log).toContain("the disk of this agent was full: the trace of this run, its pictures or videos may be missing");
      // A browser that ends may free room again: then the trace is there, and whole.
      expect(told.broken).toEqual([]);
      expect(told.files.filter((name) => !/^(report\.json|trace-x\.zip)$/.test(name))).toEqual([]);
    },
  );
});
