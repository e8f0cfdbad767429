import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ClusterSite, dataClaim } from "../support/kubernetes-node/cluster-site.ts";
import { type KubernetesNode, missingNode, sharedNode } from "../support/kubernetes-node/kubernetes-node.ts";

const missing = await missingNode();
if (missing !== null) process.stdout.write(`Tests on a Kubernetes node are skipped: ${missing}\n`);

describe.skipIf(missing !== null)("README's commands for Kubernetes", () => {
  let node: KubernetesNode;
  let site: ClusterSite;

  beforeAll(async () => {
    node = await sharedNode();
    await node.volume({ namespace: "outpost", name: dataClaim }); // what a storage class of a cluster brings
    await node.shell(commands());
    site = await ClusterSite.of(node, "outpost");
  }, 600_000);
  afterAll(async () => site?.remove());

  it("give one control plane and two agents, all ready, in a namespace that enforces the restricted standard", async () => {
    await site.ready("outpost", 1);
    await site.ready("berlin", 2);
    const all = [...(await site.pods("outpost")), ...(await site.pods("berlin"))];
    expect(all.flatMap(({ status }) => status.containerStatuses.map((it: { restartCount: number }) => it.restartCount))).toEqual([0, 0, 0]);
    await expect(node.kubectl(["-n", "outpost", "run", "free", "--image=localhost/pause:1"])).rejects.toThrow(
      /violates PodSecurity "restricted/,
    );
  });

  it("give agents that run a check of a target in the cluster, whose result is told over REST", async () => {
    const url = await site.target();
    const assertions = [{ source: "STATUS_CODE", comparison: "EQUALS", target: "200" }];
    const result = await site.run(await site.check("url", "berlin", { url, assertions }));
    expect(result).toMatchObject({ resultType: "FINAL", hasErrors: false, hasFailures: false, runLocation: "berlin" });
    const wrong = await site.run(await site.check("url", "berlin", { url, assertions: [{ ...assertions[0], target: "418" }] }));
    expect(wrong).toMatchObject({ resultType: "FINAL", hasFailures: true });
  });

  it("give releases that pass helm test", async () => {
    expect(await node.shell("helm -n outpost test berlin --logs")).toContain("Phase:          Succeeded");
    expect(await node.shell("helm -n outpost test outpost")).toContain("Phase:          Succeeded");
  });
});

/** The block below `### Kubernetes`. Images are on the node already: neither built nor pushed. */
function commands(): string {
  const [, block = ""] = /^### Kubernetes\n+```sh\n(.*?)^```$/ms.exec(readFileSync("README.md", "utf8")) ?? [];
  const pushes = "docker compose build && docker compose push\n";
  expect(block).toContain(pushes);
  return block.replace(pushes, "");
}
