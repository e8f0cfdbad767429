import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { chartTools, type Field } from "../support/chart-tools.ts";
import { ClusterSite } from "../support/kubernetes-node/cluster-site.ts";
import { type KubernetesNode, missingNode, sharedNode } from "../support/kubernetes-node/kubernetes-node.ts";
import { until } from "../support/processes.ts";

describe.skipIf((await missingNode()) !== null)("the number of agents", { timeout: 600_000 }, () => {
  let node: KubernetesNode;
  let site: ClusterSite;

  beforeAll(async () => {
    node = await sharedNode();
    const token = { existingSecret: { name: "metrics", key: "token" } };
    await node.kubectl(["create", "namespace", "scaling"]);
    await node.kubectl(["-n", "scaling", "create", "secret", "generic", "metrics", "--from-literal=token=a-token-of-sixteen"]);
    site = await ClusterSite.install(node, "scaling", { values: { serviceMonitor: token } });
  }, 600_000);
  afterAll(async () => site?.remove());

  it("follows their processors by a HorizontalPodAutoscaler, up to its bounds", async () => {
    // Of these requests an idle agent takes more than a hundredth.
    const autoscaling = { enabled: true, minReplicas: 1, maxReplicas: 2, targetCpuPercent: 1 };
    await site.agents("west", { values: { autoscaling } });
    const scaler = async (): Promise<Field> => (await site.read("get", "hpa", "west-outpost-agent")).status;
    await until(
      "an autoscaler that has read metrics",
      async () => (await scaler()).currentMetrics?.[0]?.resource?.current?.averageUtilization > 0,
      240_000,
    );
    await site.ready("west", 2);
    expect((await scaler()).desiredReplicas).toBe(2);
  });

  it("follows the location's jobs by a ScaledObject, whose triggers read what the control plane tells", async () => {
    await node.kubectl(["apply", "-f", "-"], definition("scaledobjects"));
    await node.kubectl(["apply", "-f", "-"], definition("triggerauthentications"));
    await node.kubectl([
      "wait",
      "--for=condition=Established",
      "crd/scaledobjects.keda.sh",
      "crd/triggerauthentications.keda.sh",
      "--timeout=2m",
    ]);
    const keda = { enabled: true, location: "queue", tokenSecret: { name: "metrics", key: "token" } };
    await site.agents("queue", { values: { keda } });
    const { spec } = await site.read("get", "scaledobject", "queue-outpost-agent");
    const login = await site.read("get", "triggerauthentication", spec.triggers[0].authenticationRef.name);
    const [{ name, key }] = login.spec.secretTargetRef;
    const token = Buffer.from((await site.read("get", "secret", name)).data[key], "base64").toString();
    // What KEDA's scaler for metrics of an API does: it asks the address with the token, and takes the series that is named.
    for (const { metadata } of spec.triggers as Field[]) {
      const script = `fetch(process.argv[1], { headers: { authorization: "Bearer " + process.argv[2] } }).then(async (reply) => console.log(await reply.text()))`;
      const text = await site.kubectl("exec", "deployment/queue-outpost-agent", "--", "node", "-e", script, metadata.url, token);
      expect(text.split("\n").filter((line) => line.startsWith(metadata.valueLocation))).toEqual([`${metadata.valueLocation} 0`]);
    }
    expect(spec.triggers).toHaveLength(2);
  });
});

function definition(kinds: string): object {
  const file = join(chartTools()?.crds ?? "", `keda.sh_${kinds}.yaml`);
  return parse(readFileSync(file, "utf8")) as object;
}
