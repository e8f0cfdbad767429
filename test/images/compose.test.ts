import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { Container, type ContainerOptions, type Image, noImages, removeVolumes, runToEnd } from "../support/containers.ts";
import { networkNamespace, noNamespaces } from "../support/namespace.ts";
import { until } from "../support/processes.ts";

const missing = noImages ?? noNamespaces;
if (missing !== null) process.stdout.write(`compose.yaml is not tried: ${missing}\n`);

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly volumes: readonly string[];
}

interface ComposeFile {
  readonly services: Readonly<Record<"control-plane" | "location-key" | "agent", Service>>;
}

const { services } = parse(readFileSync(join(import.meta.dirname, "../../compose.yaml"), "utf8"), { merge: true }) as ComposeFile;

/** All services share one network namespace here, so their names are its loopback. */
function started(name: keyof typeof services, project: string, network: string): [Image, readonly string[], ContainerOptions] {
  const { image, command = [], environment, volumes } = services[name];
  const env = Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, value.replace(/^\$\{\w+:-(.*)\}$/, "$1")]));
  const target = /outpost\/([\w-]+):/.exec(image)?.[1] as Image;
  return [target, command, { env, network, volumes: volumes.map((volume) => `${project}-${volume}`), hosts: Object.keys(services) }];
}

describe.skipIf(missing !== null)("compose.yaml", () => {
  it("gives a working whole: the key that the first start makes is the agent's, and stays", { timeout: 120_000 }, async () => {
    await using network = await networkNamespace();
    const project = `outpost-test-${randomBytes(4).toString("hex")}`;
    const containers: Container[] = [];
    const up = (name: keyof typeof services): Container => {
      const container = new Container(...started(name, project, network.name));
      containers.push(container);
      return container;
    };
    try {
      const controlPlane = up("control-plane");
      await until("a healthy control plane", () => controlPlane.exec("outpost", "healthcheck").code === 0);
      for (const said of ["The key is in", "it is kept"]) {
        const { code, logs } = await runToEnd(...started("location-key", project, network.name));
        expect([code, logs]).toEqual([0, expect.stringContaining(said)]);
      }
      const agent = up("agent");
      await until("a healthy agent", () => agent.exec("outpost", "healthcheck").code === 0);
      const ready = ["healthcheck", "--url", "http://127.0.0.1:8081/-/readiness"];
      await until("a ready agent", () => agent.exec("outpost", ...ready).code === 0);
      expect(controlPlane.exec("outpost", "keys", "create").stdout).toMatch(/^\w+_[0-9a-f]{32}\n$/);
    } finally {
      for (const container of containers) container.remove();
      removeVolumes(
        [...new Set(Object.values(services).flatMap(({ volumes }) => volumes))].map((volume) => `${project}-${volume.split(":")[0]}`),
      );
    }
  });
});
