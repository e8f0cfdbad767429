import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Field } from "../support/chart-tools.ts";
import { ClusterSite, isReady } from "../support/kubernetes-node/cluster-site.ts";
import { missingNode, sharedNode } from "../support/kubernetes-node/kubernetes-node.ts";
import { until } from "../support/processes.ts";

const limitMs = 240_000;

describe.skipIf((await missingNode()) !== null)("a full disk of the control plane", { timeout: 600_000 }, () => {
  let site: ClusterSite;

  beforeAll(async () => {
    site = await ClusterSite.install(await sharedNode(), "full", { disk: { sizeMb: 96 } });
    await site.agents("tight", { values: { replicas: 1 } });
  }, 600_000);
  afterAll(async () => site?.remove());

  it("makes it not ready, not restarted, and loses no result that an agent has: it arrives when there is room", async () => {
    const url = await site.target();
    const check = await site.check("url", "tight", { url: `${url}/slow` }, { maxResponseTime: 30_000, degradedResponseTime: 30_000 });
    const session = await site.trigger(check);
    const inPod = (script: string): Promise<string> =>
      site.kubectl("exec", "statefulset/outpost-control-plane", "--", "node", "-e", script);
    await inPod(fill);
    await until("a control plane that is not ready", async () => !isReady(await pod()), limitMs);
    expect(await site.probe("outpost-control-plane-0", 3000, "/-/liveness")).toBe(200);
    await inPod(`require("node:fs").rmSync("/data/filler")`);
    await site.ready("outpost", 1);
    expect((await pod()).status.containerStatuses[0].restartCount).toBe(0);
    expect(await site.resultOf(check, session)).toMatchObject({ resultType: "FINAL", hasErrors: false, hasFailures: false });
  });

  async function pod(): Promise<Field> {
    return site.read("get", "pod", "outpost-control-plane-0");
  }
});

/** Writes until there is no room for a byte. */
const fill = `
const fs = require("node:fs");
const file = fs.openSync("/data/filler", "w");
for (let size = 1 << 20; size >= 1; size >>= 4) {
  try {
    for (;;) fs.writeSync(file, Buffer.alloc(size, 1));
  } catch (error) {
    if (error.code !== "ENOSPC") throw error;
  }
}`;
