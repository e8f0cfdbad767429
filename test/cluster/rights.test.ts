import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ClusterSite } from "../support/kubernetes-node/cluster-site.ts";
import { type KubernetesNode, missingNode, sharedNode } from "../support/kubernetes-node/kubernetes-node.ts";
import { until } from "../support/processes.ts";

const raw = { icmp: { mode: "netRaw" }, captures: true, replicas: 1 };
const enforce = "pod-security.kubernetes.io/enforce";

describe.skipIf((await missingNode()) !== null)("what agents may do in a pod", { timeout: 600_000 }, () => {
  let node: KubernetesNode;
  let site: ClusterSite;
  let address: string;

  beforeAll(async () => {
    node = await sharedNode();
    site = await ClusterSite.install(node, "rights");
    await site.target();
    address = (await site.read("get", "pod", "target")).status.podIP;
  }, 600_000);
  afterAll(async () => site?.remove());

  const pinged = async (location: string): Promise<unknown> => {
    const { icmpCheckResult } = await site.run(await site.check("icmp", location, { hostname: address, pingCount: 2 }));
    return icmpCheckResult?.response;
  };

  it("is ping by the pod's sysctl under the restricted standard", async () => {
    await site.agents("pings", { values: { replicas: 1 } });
    expect(await pinged("pings")).toMatchObject({ packetsSent: 2, packetsReceived: 2 });
  });

  it("is no NET_RAW where the namespace does not allow it, and pings and captures where it does", async () => {
    const installed = site.agents("raw", { values: raw });
    const refused = async (): Promise<boolean> => {
      const { items } = await site.read("get", "events", "--field-selector=reason=FailedCreate");
      return items.some(({ message }: { message: string }) => message.includes('violates PodSecurity "restricted'));
    };
    await until("a refusal", refused, 120_000);
    await node.kubectl(["label", "namespace", "rights", `${enforce}=privileged`]);
    await site.kubectl("rollout", "restart", "deployment/raw-outpost-agent"); // its controller waits longer and longer between tries
    await installed;
    expect(await pinged("raw")).toMatchObject({ packetsSent: 2, packetsReceived: 2 });
    const refusedPort = await site.check("tcp", "raw", { hostname: address, port: 1 });
    const { id, hasErrors } = await site.run(refusedPort);
    expect(hasErrors).toBe(true);
    const { assets } = await site.api<{ assets: unknown[] }>("GET", `/v1/check-results/${refusedPort}/${id}/assets?type=pcap`);
    expect(assets).toHaveLength(1);
  });
});
