import pino from "pino";
import type { z } from "zod";
import { checkTexts } from "../../src/check-texts.ts";
import { apiCheck } from "../../src/contract/checks/api.ts";
import { createLocationKey, ensurePrivateLocation, ensureSetup } from "../../src/control-plane/accounts/setup.ts";
import { readControlPlaneConfig } from "../../src/control-plane/config.ts";
import { createControlPlane } from "../../src/control-plane/control-plane.ts";
import { createCheckFor } from "../../src/control-plane/rest/create-check-for.ts";

export interface SiteOptions {
  readonly checks: number;
  readonly url: string;
  /** Whether the scheduler runs the checks. */
  readonly activated?: boolean;
  /** Settings beside the data folder. */
  readonly env?: Readonly<Record<string, string>>;
  /** Slugs of private locations, which run the checks in turn; `bench` when absent. */
  readonly locations?: readonly string[];
  /** What is different about the check of this number. */
  readonly change?: (number: number) => Partial<z.input<typeof apiCheck.create>>;
}

export interface SetUpSite {
  readonly apiKey: string;
  /** That of the first location. */
  readonly locationKey: string;
  /** One of each location, in their order. */
  readonly locationKeys: readonly string[];
  readonly checkIds: readonly string[];
}

/** Makes a data folder with an account, private locations and so many checks every 10 seconds, then closes it. */
export async function setUpControlPlane(
  dataDir: string,
  { checks, url, activated = true, env = {}, locations = ["bench"], change = () => ({}) }: SiteOptions,
): Promise<SetUpSite> {
  const config = readControlPlaneConfig({ DATA_DIR: dataDir, PORT: "0", ...env });
  const controlPlane = await createControlPlane(config, { log: pino({ level: "silent" }), checkTexts });
  const context = { storage: controlPlane.storage, hashOf: controlPlane.hashOf, nowMs: Date.now };
  const { account, serviceKey } = await ensureSetup(context);
  const locationKeys: string[] = [];
  for (const slugName of locations) {
    const location = await ensurePrivateLocation(context, account, { slugName, name: `Benchmark ${slugName}` });
    locationKeys.push((await createLocationKey(context, location.uuid)).rawKey);
  }
  const assertions = [
    { source: "STATUS_CODE", comparison: "EQUALS", target: "200" },
    { source: "HEADERS", property: "content-type", comparison: "CONTAINS", target: "text" },
    { source: "TEXT_BODY", comparison: "CONTAINS", target: "nginx" },
  ] as const;
  const create = (number: number) =>
    createCheckFor(
      context,
      account,
      apiCheck.create.parse({
        name: `bench ${number}`,
        activated,
        frequency: 0,
        frequencyOffset: 10,
        privateLocations: [...locations],
        request: { method: "GET", url, assertions: [...assertions] },
        ...change(number),
      }),
    );
  const checkIds: string[] = [];
  for (const numbers of inTens(checks)) checkIds.push(...(await Promise.all(numbers.map(create))).map(({ uuid }) => uuid));
  await controlPlane.stop(AbortSignal.timeout(5_000));
  return { apiKey: serviceKey ?? "", locationKey: locationKeys[0] ?? "", locationKeys, checkIds };
}

/** Numbers up to but without the count, ten together: so many at once a store takes in a fraction of the time. */
export function* inTens(count: number): Generator<readonly number[]> {
  for (let first = 0; first < count; first += 10) yield Array.from({ length: Math.min(10, count - first) }, (_, index) => first + index);
}
