import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { checkTexts } from "../../src/check-texts.ts";
import { createLocationKey, ensureSetup, type SetupContext } from "../../src/control-plane/accounts/setup.ts";
import { readControlPlaneConfig } from "../../src/control-plane/config.ts";
import { type ControlPlane, createControlPlane } from "../../src/control-plane/control-plane.ts";
import { issueKey } from "../../src/control-plane/keys/issue-key.ts";
import type { AccountRow, Role } from "../../src/control-plane/storage/storage.ts";
import { copyMigratedStore } from "../support/migrated-store.ts";
import { type Answer, type Call, call } from "./call.ts";

export interface ControlPlaneUnderTest extends AsyncDisposable {
  readonly controlPlane: ControlPlane;
  readonly base: string;
  readonly dataDir: string;
  readonly context: SetupContext;
  readonly account: AccountRow;
  /** Service key of `account` with the role OWNER. */
  readonly ownerKey: string;
  readonly logLines: readonly string[];
  /** Lets so much time go by on the control plane's clocks; its timers stay real. */
  readonly advance: (ms: number) => void;
  /** Sets its wall clock alone. */
  readonly step: (ms: number) => void;
  readonly call: (method: string, path: string, options?: Call) => Promise<Answer>;
  readonly keyFor: (role: Role, accountId?: number, kind?: "service" | "user") => Promise<string>;
  readonly locationKey: (code: string) => Promise<string>;
}

/**
 * A whole control plane on SQLite in a folder of its own, listening on a free loopback port. Every answer is checked against its schema.
 *
 * @param startsAtMs what its clock says at first
 */
export async function controlPlaneUnderTest(
  env: Readonly<Record<string, string>> = {},
  startsAtMs: number = Date.now(),
): Promise<ControlPlaneUnderTest> {
  const dataDir = await mkdtemp(join(tmpdir(), "outpost-test-"));
  if (env["DATA_DIR"] === undefined && env["DATABASE_URL"] === undefined) await copyMigratedStore(dataDir);
  const logLines: string[] = [];
  let aheadMs = startsAtMs - Date.now();
  let steppedMs = 0;
  const nowMs = (): number => Date.now() + aheadMs + steppedMs;
  const monotonicMs = (): number => Date.now() + aheadMs;
  const config = readControlPlaneConfig({
    DATA_DIR: dataDir,
    PORT: "0",
    RATE_LIMIT_STANDARD: "100000/60",
    RATE_LIMIT_PAGES: "100000/60",
    RATE_LIMIT_RESULTS: "100000/60",
    RATE_LIMIT_ANALYTICS: "100000/60",
    RATE_LIMIT_ALERT_NOTIFICATIONS: "100000/60",
    RATE_LIMIT_DASHBOARDS: "100000/60",
    RATE_LIMIT_LOCATION_METRICS: "100000/60",
    RATE_LIMIT_TRIGGERS: "100000/60",
    RATE_LIMIT_PINGS: "100000/60",
    RATE_LIMIT_UNKNOWN_PINGS: "100000/60",
    RATE_LIMIT_WRONG_KEYS: "100000/60",
    WEBHOOK_EGRESS: "127.0.0.0/8,::1",
    RATE_LIMIT_FORMS: "100000/60",
    ...env,
  });
  const log = pino(
    { level: "debug" },
    {
      write: (line: string) => {
        logLines.push(line);
      },
    },
  );
  const controlPlane = await createControlPlane(config, { log, checkTexts, nowMs, monotonicMs, validateResponses: true });
  await controlPlane.start();
  const base = controlPlane.address() ?? "";
  const context = { storage: controlPlane.storage, hashOf: controlPlane.hashOf, nowMs };
  const { account, serviceKey } = await ensureSetup(context);
  return {
    controlPlane,
    base,
    dataDir,
    context,
    account,
    ownerKey: serviceKey ?? "",
    logLines,
    advance: (ms) => {
      aheadMs += ms;
    },
    step: (ms) => {
      steppedMs += ms;
    },
    call: (method, path, options = {}) => call(base, method, path, { key: serviceKey ?? "", ...options }),
    keyFor: async (role, accountId = account.id, kind = "service") => {
      const owner = { kind, accountId, locationId: null, role };
      return (await issueKey({ ...context, keys: context.storage.keys }, owner)).rawKey;
    },
    locationKey: async (code) => (await createLocationKey(context, code)).rawKey,
    [Symbol.asyncDispose]: async () => {
      await controlPlane.stop(AbortSignal.timeout(5_000));
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** A moment of this hour from which on nothing new begins for five minutes that runs are counted by: no hour, no day, no five minutes. */
export function quietMoment(): number {
  return Math.floor(Date.now() / hourMs) * hourMs + 15 * minuteMs;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Asks until `found` answers something, for what happens a moment later. Fails by the test's own time limit. */
export async function eventually<T>(found: () => Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const value = await found();
    if (value !== undefined && value !== false) return value;
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
}

/** The smallest API check that runs at a data center location. */
export function apiCheck(changes: object = {}): object {
  return {
    name: "Front page",
    locations: ["eu-west-1"],
    request: { method: "GET", url: "http://127.0.0.1/" },
    frequency: 1440,
    ...changes,
  };
}
