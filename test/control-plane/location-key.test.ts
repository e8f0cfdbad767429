import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readControlPlaneConfig } from "../../src/control-plane/config.ts";
import { openStore } from "../../src/control-plane/open-store.ts";
import { OutpostProcess } from "../support/processes.ts";
import { FakeAgent } from "./fake-agent.ts";

describe("outpost location-key", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "outpost-test-"));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });
  const env = () => ({ DATA_DIR: folder, PORT: "0" });

  async function issue(...words: readonly string[]): Promise<{ code: number | string; stdout: string; stderr: string }> {
    await using process = new OutpostProcess(["location-key", ...words], env(), folder);
    const code = await process.exit();
    return { code, stdout: process.stdout, stderr: process.stderr };
  }

  it("issues keys beside a running control plane, which takes them at once", { timeout: 120_000 }, async () => {
    await using controlPlane = new OutpostProcess(["control-plane"], env(), folder);
    const { address } = await controlPlane.logged("control plane is ready");
    for (const _key of [1, 2]) {
      const { code, stdout } = await issue("eu-west-1");
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^pl_[0-9a-f]{32}\n$/)]);
      expect((await FakeAgent.hello(String(address), stdout.trim())).status).toBe(201);
    }
    const third = await issue("eu-west-1");
    expect(third).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("2 keys already") as string });
  });

  it("writes a key to a file for its owner alone, and keeps one that is there", { timeout: 120_000 }, async () => {
    const file = join(folder, "api-key");
    const words = ["--create", "written", "--output", file];
    expect(await issue(...words)).toMatchObject({ code: 0, stdout: "" });
    const key = await readFile(file, "utf8");
    expect([key, (await stat(file)).mode & 0o777]).toEqual([expect.stringMatching(/^pl_[0-9a-f]{32}\n$/), 0o600]);
    const again = await issue(...words);
    expect(again).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining("is kept") as string });
    expect(again.stderr).not.toContain(key.trim());
    expect(await readFile(file, "utf8")).toBe(key);
    const nowhere = await issue("eu-west-3", "--output", join(folder, "none/api-key"));
    expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining("ENOENT") as string });
    expect(await issue("eu-west-3", "--output", folder)).toMatchObject({ code: 2, stderr: expect.stringContaining("EISDIR") as string });
    expect((await readdir(folder)).filter((name) => name.startsWith("api-key"))).toEqual(["api-key"]);
    const { storage } = await openStore(readControlPlaneConfig(env()), { nowMs: Date.now() });
    const untouched = await storage.locations.dataCenter("eu-west-3");
    expect(untouched && (await storage.keys.ofLocation(untouched.id))).toEqual([]);
    await storage.close();
  });

  it("issues keys when no control plane runs", { timeout: 120_000 }, async () => {
    const { stdout } = await issue("eu-west-2");
    const { storage, hashOf } = await openStore(readControlPlaneConfig(env()), { nowMs: Date.now() });
    expect(await storage.keys.byHash(hashOf(stdout.trim()))).toMatchObject({ kind: "location" });
    await storage.close();
  });
});
