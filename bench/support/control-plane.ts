import pino from "pino";
import { readControlPlaneConfig } from "../../src/control-plane/config.ts";
import { createControlPlane } from "../../src/control-plane/control-plane.ts";
import { createApiCheckFor, createLocationKey, ensurePrivateLocation, ensureSetup } from "../../src/control-plane/setup.ts";

interface SiteOptions {
  readonly checks: number;
  readonly url: string;
  /** Whether the scheduler runs the checks. */
  readonly activated?: boolean;
  /** Settings beside the data folder. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Makes a data folder with an account, a private location `bench` and so many checks every 10 seconds, then closes it. */
export async function setUpControlPlane(
  dataDir: string,
  { checks, url, activated = true, env = {} }: SiteOptions,
): Promise<{ readonly apiKey: string; readonly locationKey: string; readonly checkIds: readonly string[] }> {
  const config = readControlPlaneConfig({ DATA_DIR: dataDir, PORT: "0", ...env });
  const controlPlane = await createControlPlane(config, { log: pino({ level: "silent" }) });
  const context = { storage: controlPlane.storage, hashOf: controlPlane.hashOf, nowMs: Date.now };
  const { account, serviceKey } = await ensureSetup(context);
  const location = await ensurePrivateLocation(context, account, { slugName: "bench", name: "Benchmark" });
  const { rawKey } = await createLocationKey(context, location.uuid);
  const assertions = [
    { source: "STATUS_CODE", comparison: "EQUALS", target: "200" },
    { source: "HEADERS", property: "content-type", comparison: "CONTAINS", target: "text" },
    { source: "TEXT_BODY", comparison: "CONTAINS", target: "nginx" },
  ] as const;
  const checkIds: string[] = [];
  for (let n = 0; n < checks; n += 1) {
    const check = await createApiCheckFor(context, account, {
      name: `bench ${n}`,
      activated,
      frequency: 0,
      frequencyOffset: 10,
      privateLocations: ["bench"],
      request: { method: "GET", url, assertions: [...assertions] },
    });
    checkIds.push(check.uuid);
  }
  await controlPlane.stop(AbortSignal.timeout(5_000));
  return { apiKey: serviceKey ?? "", locationKey: rawKey, checkIds };
}
