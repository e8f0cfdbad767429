import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { takeFiles } from "../../../src/agent/playwright/run-files.ts";
import { nothingTold } from "../../../src/agent/playwright/told.ts";

it("takes whole traces only, and none by a link", async () => {
  const outer = mkdtempSync(join(tmpdir(), "outpost-files-"));
  onTestFinished(() => rmSync(outer, { recursive: true }));
  const [run, kept] = [join(outer, "run-a/run"), join(outer, "kept")];
  for (const folder of [run, kept]) mkdirSync(folder, { recursive: true });
  const whole = Buffer.concat([Buffer.alloc(40), Buffer.from("PK\x05\x06", "latin1"), Buffer.alloc(18)]);
  writeFileSync(join(run, "whole.zip"), whole);
  writeFileSync(join(run, "aim.zip"), whole);
  writeFileSync(join(run, "cut.zip"), whole.subarray(0, -10));
  symlinkSync(join(run, "aim.zip"), join(run, "link.zip"));
  const attachments = ["link.zip", "cut.zip", "whole.zip"].map((name) => ({
    name: "trace",
    contentType: "application/zip",
    path: join(run, name),
  }));
  const report = { ...nothingTold, tests: [{ title: "a", retry: 0, attachments }] } as unknown as typeof nothingTold;
  expect((await takeFiles(report, run, kept)).map(({ name }) => name)).toEqual(["trace-a.zip"]);
});
