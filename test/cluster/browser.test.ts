import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasImage } from "../support/containers.ts";
import { ClusterSite } from "../support/kubernetes-node/cluster-site.ts";
import { missingNode, sharedNode } from "../support/kubernetes-node/kubernetes-node.ts";
import { noPlaywright, playwrightRuntime, runtimesFolder } from "../support/playwright-runtime.ts";

const missing = (await missingNode()) ?? noPlaywright ?? (hasImage("agent-browser") ? null : "the image agent-browser is not built");
if (missing !== null) process.stdout.write(`Browser checks on a Kubernetes node are skipped: ${missing}\n`);

describe.skipIf(missing !== null)("the browser agent in a pod", { timeout: 600_000 }, () => {
  let site: ClusterSite;

  beforeAll(async () => {
    const node = await sharedNode();
    site = await ClusterSite.install(node, "browser");
    await node.volume({ namespace: "browser", name: "runtimes" }, { copyOf: runtimesFolder });
    const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "" };
    await site.apply({ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "runtimes" }, spec: claim });
    const runtimes = { volume: { persistentVolumeClaim: { claimName: "runtimes" } } };
    const resources = { requests: { cpu: "20m", memory: "256Mi" } };
    await site.agents("pages", { values: { replicas: 1, browser: { enabled: true }, runtimes, resources } });
  }, 600_000);
  afterAll(async () => site?.remove());

  it("runs a browser check of a page in the cluster under the restricted standard", async () => {
    const page = `http://outpost-control-plane.${site.namespace}.svc:3000/sign-in`;
    const script = `const { expect, test } = require("@playwright/test");
test("sign-in", async ({ page }) => { await page.goto("${page}"); await expect(page.locator("h1")).toHaveText("Sign in"); });`;
    const id = await site.check("browser", "pages", null, { script, runtimeId: playwrightRuntime });
    const { errorMessage, hasFailures } = await site.run(id);
    expect([errorMessage, hasFailures]).toEqual([null, false]);
  });
});
