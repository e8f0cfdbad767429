import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { FakeControlPlane } from "../../support/fake-control-plane.ts";
import { OutpostProcess } from "../../support/processes.ts";
import { makeScriptRuntime } from "../../support/script-runtime.ts";
import { temporaryFolder } from "../agent-under-test.ts";

it("an agent tells the control plane which runtimes it found, and warns once of a broken one", async () => {
  await using fake = await FakeControlPlane.start();
  using folder = temporaryFolder();
  await using runtime = await makeScriptRuntime("2026.04"); // only one whose scripts run is announced
  mkdirSync(join(runtime.folder, "2025.04"));
  const health = { AGENT_HEALTH_PORT: "0", AGENT_HEALTH_HOST: "127.0.0.1" };
  const env = { API_KEY: fake.key, API_URL: fake.url.href, DATA_DIR: folder.path, RUNTIMES_DIR: runtime.folder, ...health };
  await using agent = new OutpostProcess(["agent"], env, folder.path);
  await vi.waitFor(() => expect(fake.seen("openAgentSession")).not.toEqual([]), { timeout: 20_000 });
  expect(fake.seen("openAgentSession")[0]?.body).toMatchObject({ runtimes: ["2026.04"] });
  expect(agent.logLines().filter((line) => line["runtime"] === "2025.04")).toHaveLength(1);
});
