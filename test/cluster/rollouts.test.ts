import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ClusterSite } from "../support/kubernetes-node/cluster-site.ts";
import { missingNode, sharedNode } from "../support/kubernetes-node/kubernetes-node.ts";
import { expectNothingLost } from "../support/oracle.ts";
import { pause } from "../support/processes.ts";

const namespace = "rollouts";
/** Longer than the lease of an agent that is killed: a run that has not begun when its next one is due counts as missed. */
const periodMs = 60_000;
/** Two runs a second. */
const checks = 120;

describe.skipIf((await missingNode()) !== null)("under two checks a second", () => {
  let site: ClusterSite;
  let url: string;

  beforeAll(async () => {
    site = await ClusterSite.install(await sharedNode(), namespace);
    await site.agents("north", { values: { jobConcurrency: 20 } });
    url = await site.target();
  }, 600_000);
  afterAll(async () => site?.remove());

  it("three restarts of everything and pods deleted by force miss no run, and run none twice", { timeout: 900_000 }, async () => {
    const made: { checkId: string; fromMs: number }[] = [];
    for (let n = 0; n < checks; n += 1) {
      made.push({ checkId: await site.check("url", "north", { url }, { frequency: 1 }), fromMs: Date.now() });
    }
    const rolled = (workload: string): Promise<string> => site.kubectl("rollout", "status", workload, "--timeout=5m");
    const before = new Set(await uids());
    for (let round = 0; round < 3; round += 1) {
      await site.kubectl("rollout", "restart", "deployment/north-outpost-agent", "statefulset/outpost-control-plane");
      await rolled("deployment/north-outpost-agent");
      await rolled("statefulset/outpost-control-plane");
    }
    expect((await uids()).filter((uid) => before.has(uid))).toEqual([]);
    await site.kubectl("delete", "pods", "-l", "app.kubernetes.io/component=agent", "--force", "--grace-period=0");
    await site.ready("north", 2);
    await site.kubectl("delete", "pod", "outpost-control-plane-0", "--force", "--grace-period=0");
    await site.ready("outpost", 1);
    const lastMs = made.at(-1)?.fromMs ?? 0;
    await pause(Math.max(0, lastMs + periodMs - Date.now())); // every check was due, also where all of this was quick
    const toMs = Date.now();
    for (const { checkId } of made) await site.api("PUT", `/v1/checks/url/${checkId}`, { activated: false });
    const scheduled = made.map((check) => ({ ...check, toMs, periodMs, locations: ["north"] }));
    const ends = [...(await expectNothingLost(site, { scheduled }, 180_000)).values()]
      .flat()
      .filter(({ resultType }) => resultType !== "ATTEMPT");
    expect(ends.filter(({ resultType }) => resultType === "MISSED")).toEqual([]);
    expect(await Promise.all(made.map(({ checkId }) => site.gaps(checkId)))).toEqual(made.map(() => []));
    expect(ends.length).toBeGreaterThanOrEqual(checks);
  });

  async function uids(): Promise<string[]> {
    return [...(await site.pods("north")), ...(await site.pods("outpost"))].map(({ metadata }) => metadata.uid);
  }
});
