import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { runtimeCatalog, runtimeIds } from "#contract/runtime-catalog.ts";
import { main } from "../../../src/agent/runtimes/runtime-main.ts";
import { runtimeTable } from "../../../src/agent/runtimes/runtime-table.ts";
import { temporaryFolder } from "../agent-under-test.ts";
import { npmEnv, npmMissing } from "./tiny-install.ts";

afterEach(() => void vi.restoreAllMocks());

/** What the command prints, on both streams. */
async function printed(env: Record<string, string | undefined>, ...words: string[]): Promise<{ code: number; text: string }> {
  let text = "";
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, "write").mockImplementation((chunk) => {
      text += String(chunk);
      return true;
    });
  }
  const code = await main(env, words);
  vi.restoreAllMocks();
  return { code, text };
}

describe("outpost runtime", () => {
  it.each([
    [["install", "2027.01"], /^There is no runtime "2027\.01"\. There are 2026\.04, .*2022\.10$/],
    [["install", "2026.04,1999.01"], /"1999\.01"/],
    [["install"], /^Name a runtime/],
    [["install", ","], /^Name a runtime/],
    [[], /^Say what to do: outpost runtime install/],
    [["update", "2026.04"], /^Say what to do/],
    [["constructor", "2026.04"], /^Say what to do/],
  ])("%j is refused before anything is done", async (words, message) => {
    using folder = temporaryFolder();
    await expect(main({ DATA_DIR: folder.path }, words)).rejects.toMatchObject({
      name: "ConfigError",
      message: expect.stringMatching(message),
    });
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it("lists every runtime with its stage, end of life and what is installed where", async () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, "runtimes/2025.04"), { recursive: true });
    const { code, text } = await printed({ DATA_DIR: folder.path }, "list");
    expect(code).toBe(0);
    for (const id of runtimeIds) expect(text).toContain(id);
    expect(text).toMatch(/2025\.04 .* broken: its manifest, runtime\.json, is missing/);
    expect(text).toContain(join(folder.path, "runtimes"));
  });

  it("shows the last day of a runtime, and that it is past", () => {
    const table = runtimeTable(runtimeCatalog, { installed: [], broken: [] }, Date.UTC(2027, 4, 1));
    expect(table).toMatch(/2026\.04 +24\.13\.1 +CURRENT +2028-04-30 +no/);
    expect(table).toMatch(/2025\.04 .* 2027-04-30 \(past\)/);
    expect(runtimeTable(runtimeCatalog, { installed: [], broken: [] }, Date.UTC(2027, 4, 1) - 1)).not.toMatch(/2025\.04 .*past/);
  });

  it("removes a runtime whole, and says when there was none", async () => {
    using folder = temporaryFolder();
    const env = { RUNTIMES_DIR: folder.path };
    mkdirSync(join(folder.path, "2026.04/node_modules"), { recursive: true });
    writeFileSync(join(folder.path, "2026.04/node_modules/x"), "");
    expect(await printed(env, "remove", "2026.04")).toMatchObject({ code: 0, text: "2026.04: removed\n" });
    expect(readdirSync(folder.path)).toEqual([]);
    expect((await printed(env, "remove", "2026.04")).text).toContain("is not installed");
  });

  it("says which folder cannot be written, and what to do", async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, "file"), "");
    const env = { PATH: folder.path, RUNTIMES_DIR: join(folder.path, "file/runtimes") };
    await expect(printed(env, "install", "2026.04")).rejects.toMatchObject({
      name: "ConfigError",
      message: expect.stringMatching(/^RUNTIMES_DIR: .*file\/runtimes cannot be written \(ENOTDIR\); name a folder.*RUNTIMES$/),
    });
  });

  it.skipIf(npmMissing !== null)("warns of a runtime past its end of life, and ends with 1 when npm cannot do it", async () => {
    using folder = temporaryFolder();
    const env = { ...npmEnv({ url: "http://127.0.0.1:9/" }, folder.path), RUNTIMES_DIR: join(folder.path, "runtimes") };
    const { code, text } = await printed(env, "install", "2022.10");
    expect(code).toBe(1);
    expect(text).toContain("2022.10: warning: past its end of life, Node.js 16.20.2 gets no security fixes since 2023-09-11");
    expect(text).toContain("npm could not reach its registry (ECONNREFUSED)");
    expect(readdirSync(env.RUNTIMES_DIR)).toEqual([]);
  });
});
