import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { linkProgram } from "../../../src/agent/playwright/link-program.ts";

function folders() {
  const folder = mkdtempSync(join(tmpdir(), "outpost-link-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [real, view, tools] = [join(folder, "real"), join(folder, "view"), join(folder, "a/b/tools")];
  for (const path of [real, join(view, "node_modules"), tools]) mkdirSync(path, { recursive: true });
  symlinkSync(real, join(view, "node_modules/playwright-core"));
  return { folder, real, view, tools, list: join(real, "browsers.json") };
}

function browsers(revision: unknown): string {
  return JSON.stringify({ browsers: [{ name: "ffmpeg", revision }] });
}

describe("a program of this machine", () => {
  it("is put where a runtime looks for it, whose folder may be behind a link", async () => {
    const { view, tools, list } = folders();
    writeFileSync(list, browsers("1011"));
    for (let nth = 0; nth < 2; nth += 1) await linkProgram("ffmpeg", "/usr/bin/ffmpeg", view, tools);
    expect(readlinkSync(join(tools, "ffmpeg-1011/ffmpeg-linux"))).toBe("/usr/bin/ffmpeg");
  });

  it("has a marker that is not written through a link", async () => {
    const { folder, view, tools, list } = folders();
    writeFileSync(list, browsers("1011"));
    const other = join(folder, "other");
    writeFileSync(other, "mine");
    mkdirSync(join(tools, "ffmpeg-1011"));
    symlinkSync(other, join(tools, "ffmpeg-1011/INSTALLATION_COMPLETE"));
    await linkProgram("ffmpeg", "/usr/bin/ffmpeg", view, tools);
    expect(readFileSync(other, "utf8")).toBe("mine");
  });

  it.each([
    ["leads out", browsers("x/../../../../../out")],
    ["is no number", browsers("1011a")],
    ["is very long", browsers("1".repeat(9))],
    ["is no text", browsers(1011)],
    ["is cut", browsers("1011").slice(0, -3)],
    ["is beyond what is read", " ".repeat(1024 * 1024) + browsers("1011")],
  ])("is put nowhere where the revision %s", async (_what, text) => {
    const { folder, view, tools, list } = folders();
    writeFileSync(list, text);
    await linkProgram("ffmpeg", "/usr/bin/ffmpeg", view, tools);
    expect([readdirSync(tools), existsSync(join(folder, "out"))]).toEqual([[], false]);
  });

  it("is put nowhere where the list is a link", async () => {
    const { folder, view, tools, list } = folders();
    writeFileSync(join(folder, "list.json"), browsers("1011"));
    symlinkSync(join(folder, "list.json"), list);
    await linkProgram("ffmpeg", "/usr/bin/ffmpeg", view, tools);
    expect(readdirSync(tools)).toEqual([]);
  });
});
