import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { FakeControlPlane } from "../../support/fake-control-plane.ts";
import { OutpostProcess } from "../../support/processes.ts";
import { temporaryFolder } from "../agent-under-test.ts";
import { runtimeFolder } from "./runtime-folder.ts";

it("an agent tells the control plane which runtimes it found, and warns once of a broken one", async () => {
  await using fake = await FakeControlPlane.start();
  using folder = temporaryFolder();
  runtimeFolder(join(folder.path, "runtimes"), "2026.04");
  mkdirSync(join(folder.path, "runtimes/2025.04"));
  const env = { API_KEY: fake.key, API_URL: fake.url.href, DATA_DIR: folder.path, AGENT_HEALTH_PORT: "0", AGENT_HEALTH_HOST: "127.0.0.1" };
  await using agent = new OutpostProcess(["agent"], env, folder.path);
  await vi.waitFor(() => expect(fake.seen("openAgentSession")).not.toEqual([]), { timeout: 20_000 });
  expect(fake.seen("openAgentSession")[0]?.body).toMatchObject({ runtimes: ["2026.04"] });
  expect(agent.logLines().filter((line) => line["runtime"] === "2025.04")).toHaveLength(1);
});
