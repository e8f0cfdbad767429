import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { authorityStore } from "../../../src/agent/playwright/authorities.ts";
import { Authority } from "../runners/ssl/authority.ts";

const noCertutil = execFileSync("/bin/sh", ["-c", "command -v certutil || true"], { encoding: "utf8" }) === "";

describe("authorities of agents that share a folder", () => {
  const authority = new Authority();
  afterAll(() => authority[Symbol.dispose]());
  const ca = authority.read("root.pem");
  const newFolder = (): string => {
    const folder = mkdtempSync(join(tmpdir(), "outpost-authorities-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    return folder;
  };

  it("stay where they are when another agent starts", async () => {
    const folder = newFolder();
    const first = await authorityStore(folder)([ca]);
    const made = [first?.file ?? "", ...(first?.database == null ? [] : [first.database])].map((path) => [path, statSync(path).ino]);
    const second = await authorityStore(folder)([ca]);
    expect(second).toEqual(first);
    expect(made.map(([path]) => [path, statSync(`${path}`).ino])).toEqual(made);
    expect(readFileSync(first?.file ?? "", "utf8")).toBe(`${ca.trim()}\n`);
  });

  it.skipIf(noCertutil)("are whole, and nothing else is left, when two start at once", async () => {
    const folder = newFolder();
    const both = await Promise.all([authorityStore(folder)([ca]), authorityStore(folder)([ca])]);
    expect(both[0]).toEqual(both[1]);
    expect(existsSync(join(both[0]?.database ?? "", "cert9.db"))).toBe(true);
    expect(readdirSync(folder)).toHaveLength(2);
  });
});
