import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Field } from "../support/chart-tools.ts";
import { ClusterSite, isReady } from "../support/kubernetes-node/cluster-site.ts";
import { type KubernetesNode, missingNode, sharedNode } from "../support/kubernetes-node/kubernetes-node.ts";
import { until } from "../support/processes.ts";

const limitMs = 240_000;

describe.skipIf((await missingNode()) !== null)("pods of both charts", { timeout: 600_000 }, () => {
  let node: KubernetesNode;
  let site: ClusterSite;
  let url: string;
  let slow: string;

  beforeEach(async () => {
    await site.ready("outpost", 1);
    await site.ready("south", 2);
  }, 600_000);
  beforeAll(async () => {
    node = await sharedNode();
    site = await ClusterSite.install(node, "life");
    await site.agents("south");
    url = await site.target();
    slow = await site.check("url", "south", { url: `${url}/slow` }, { maxResponseTime: 30_000, degradedResponseTime: 30_000 });
  }, 600_000);
  afterAll(async () => site?.remove());

  it("drain when they are deleted: not ready and alive, they finish their runs, and others come", async () => {
    const session = await site.trigger(slow);
    const agents = await site.pods("south");
    const busy = await until("a run in flight", () => busyOf(agents), limitMs);
    await site.kubectl("delete", "pods", "-l", "app.kubernetes.io/instance=south", "--wait=false");
    await until("a draining agent", async () => (await site.probe(busy, 8081, "/-/readiness")) === 503, limitMs);
    expect(await site.probe(busy, 8081, "/-/liveness")).toBe(200);
    expect(await site.resultOf(slow, session)).toMatchObject({ resultType: "FINAL", hasErrors: false, hasFailures: false });
    await site.ready("south", 2);
  });

  it("stay alive through an outage of the control plane: agents are not ready, are not restarted, and deliver what they ran", async () => {
    const session = await site.trigger(slow);
    const before = await site.pods("south");
    await until("a run in flight", () => busyOf(before), limitMs);
    await site.kubectl("scale", "statefulset/outpost-control-plane", "--replicas=0");
    const unready = async (): Promise<boolean> => (await site.pods("south")).every((pod) => !isReady(pod));
    await until("agents that are not ready", unready, limitMs);
    const agents = await site.pods("south");
    expect(await Promise.all(agents.map(({ metadata }) => site.probe(metadata.name, 8081, "/-/liveness")))).toEqual([200, 200]);
    await site.kubectl("scale", "statefulset/outpost-control-plane", "--replicas=1");
    await site.ready("outpost", 1);
    await site.ready("south", 2);
    expect(restarts(await site.pods("south"))).toEqual([0, 0]);
    expect(names(await site.pods("south"))).toEqual(names(agents));
    expect(await site.resultOf(slow, session)).toMatchObject({ resultType: "FINAL", hasErrors: false, hasFailures: false });
  });

  it("are evicted one at a time, as the disruption budget allows", async () => {
    const [first = "", second = ""] = names(await site.pods("south"));
    expect(await site.evict(first)).toContain("Success");
    expect(await site.evict(second)).toContain("disruption budget");
    await until("an agent in its place", async () => (await budget()).disruptionsAllowed > 0, limitMs);
    expect(await site.evict(second)).toContain("Success");
    await site.ready("south", 2);
    expect(names(await site.pods("south"))).not.toContain(second);
  });

  it("keep the data of the control plane when its pod is deleted", async () => {
    const check = await site.check("url", "south", { url });
    const { id } = await site.run(check);
    await site.kubectl("delete", "pod", "outpost-control-plane-0");
    await site.ready("outpost", 1);
    expect(await kept(check)).toContain(id);
  });

  it("keep it when the node loses its power, and go on", async () => {
    const check = await site.check("url", "south", { url });
    const { id: first } = await site.run(check);
    await node.restart();
    await restarted();
    const { id, ...result } = await site.run(check);
    expect(result).toMatchObject({ resultType: "FINAL", hasErrors: false, hasFailures: false });
    expect(await kept(check)).toEqual(expect.arrayContaining([id, first]));
  });

  async function kept(check: string): Promise<string[]> {
    return (await site.results(check)).map(({ id }) => id);
  }

  /** The first of these agents that holds a run, by its metrics. */
  async function busyOf(agents: readonly Field[]): Promise<string | undefined> {
    for (const name of names(agents)) {
      const text = await node.kubectl(["get", "--raw", `/api/v1/namespaces/life/pods/${name}:8081/proxy/metrics`]);
      if (!/^outpost_agent_leases_held 0$/m.test(text)) return name;
    }
    return undefined;
  }

  async function budget(): Promise<Field> {
    return (await site.read("get", "pdb", "south-outpost-agent")).status;
  }

  /** What the API server tells of pods after a power cut is of before, until the kubelet has looked. */
  async function restarted(): Promise<void> {
    const all = async (): Promise<boolean> => {
      const pods = [...(await site.pods("south")), ...(await site.pods("outpost"))];
      return restarts(pods).every((count) => count > 0) && pods.every(isReady);
    };
    await until("pods that were started again", all, limitMs);
    await site.kubectl("wait", "--for=condition=Ready", "pod/target", "--timeout=4m");
    await site.ready("outpost", 1); // and its REST API answers
  }
});

function names(pods: readonly Field[]): string[] {
  return pods.map(({ metadata }) => metadata.name as string).toSorted();
}

function restarts(pods: readonly Field[]): number[] {
  return pods.flatMap(({ status }) => (status.containerStatuses as Field[]).map(({ restartCount }) => restartCount as number));
}
