import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { outpostProgram } from "../support/built-program.ts";
import { freePort } from "../support/free-ports.ts";
import { OutpostProcess, until } from "../support/processes.ts";
import { earlierProgram, refBefore } from "./earlier-program.ts";
import { RestClient } from "./rest-client.ts";
import { startTarget } from "./target.ts";

const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
const ref = refBefore(version);
const earlier = earlierProgram(ref);
const before = earlier?.words ?? [];
const now = outpostProgram();

describe.skipIf(earlier === null)(`beside ${ref}`, () => {
  it.each([
    { what: "an agent of the version before works with the control plane of this one", controlPlane: now, agent: before },
    { what: "an agent of this version works with the control plane of the one before", controlPlane: before, agent: now },
  ])("$what: it runs what passes and what fails, and drains (U-01)", { timeout: 120_000 }, async ({ controlPlane, agent }) => {
    await using target = await startTarget();
    const folder = mkdtempSync(join(tmpdir(), "outpost-mixed-"));
    try {
      const port = await freePort();
      const base = `http://127.0.0.1:${port}`;
      const dataDir = join(folder, "control-plane");
      await using one = new OutpostProcess(["control-plane"], { DATA_DIR: dataDir, PORT: String(port) }, folder, [], controlPlane);
      await one.logged("control plane is ready");
      const rest = new RestClient(base, await firstKey(dataDir));
      const key = await rest.location("berlin");
      const agentEnv = { API_KEY: key, API_URL: base, AGENT_HEALTH_PORT: "0", DATA_DIR: join(folder, "agent") };
      await using other = new OutpostProcess(["agent"], agentEnv, folder, [], agent);
      for (const [path, hasFailures] of [
        ["ok", false],
        ["broken", true],
      ] as const) {
        const id = await rest.apiCheck(path, `${target.base}/${path}`, ["berlin"]);
        await rest.run(id);
        expect(await rest.results(id)).toMatchObject([{ hasFailures }]);
      }
      other.signal("SIGTERM");
      expect(await other.exit()).toBe(0);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

async function firstKey(dataDir: string): Promise<string> {
  const path = join(dataDir, "credentials.json");
  await until("the first account", () => existsSync(path) && readFileSync(path, "utf8").length > 2);
  const found = Object.values(JSON.parse(readFileSync(path, "utf8")) as Record<string, string>);
  return found.find((value) => /^[a-z]+_/.test(value)) ?? "";
}
