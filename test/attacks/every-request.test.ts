import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect } from "vitest";
import type { Operation } from "#contract/operation.ts";
import { agentOperations, operations } from "#contract/operations.ts";
import { browser } from "../control-plane/console/browser.ts";
import { FakeAgent } from "../control-plane/fake-agent.ts";
import { attemptReport } from "../support/attempt-report.ts";
import { Site } from "../support/site.ts";
import { attack } from "./attack.ts";
import { asUsualMs, cpuMs } from "./cpu-of.ts";

const strangerLimitMs = 20;
const keyLimitMs = 250;
const calls = 2;

const names = (count: number): string => Array.from({ length: count }, (_, index) => `"n${index}":1`).join(",");
/** Of each, as much as may be JSON here. */
const meanBodies: Readonly<Record<string, string>> = {
  "a megabyte of text": JSON.stringify({ name: "x".repeat(1_000_000) }),
  "a megabyte of escapes": `{"name":"${"\\u0022".repeat(160_000)}"}`,
  "names of their own": `{${names(65_000)}}`,
  "lists of wrong entries": JSON.stringify(
    Object.fromEntries(
      [
        "tags",
        "locations",
        "privateLocations",
        "cards",
        "subscriptions",
        "assertions",
        "alertChannelSubscriptions",
        "environmentVariables",
      ].map((name) => [name, Array.from({ length: 8_000 }, () => 1)]),
    ),
  ),
  "empty objects in lists": JSON.stringify({
    request: { assertions: Array.from({ length: 30_000 }, () => ({})), headers: Array.from({ length: 30_000 }, () => ({})) },
  }),
  deep: `${"[".repeat(99)}${"]".repeat(99)}`,
  "too deep": "[".repeat(500_000),
  "too many values": `[${"1,".repeat(450_000)}1]`,
};

/** A report with seven megabytes of names of metrics, as `reportAttempt` or `reportAttempts` take it. */
function largeReport(operation: Operation, value: string): string {
  const entry = `:${value},`;
  const count = Math.ceil(7_000_000 / (8 + entry.length));
  const metrics = Array.from({ length: count }, (_, index) => `"${index.toString(36).padStart(6, "x")}"${entry}`).join("");
  const report = JSON.stringify(attemptReport()).replace('"metrics":{}', `"metrics":{${metrics.slice(0, -1)}}`);
  return operation.id === "reportAttempt" ? report : `{"reports":[${report}]}`;
}

describe("every request", { timeout: 600_000 }, () => {
  let site: Site;
  let keys: Readonly<Record<string, string>>;
  beforeAll(async () => {
    site = await Site.start({ env: { RATE_LIMIT_FORMS: "1000000/60", AGENT_CPU_PERCENT: "1000", RATE_LIMIT_WRONG_KEYS: "1000000/60" } });
    const locationKey = await site.location("berlin");
    keys = { "agent-key": locationKey, "agent-session": (await FakeAgent.open(site.base, locationKey)).session.sessionToken };
  }, 120_000);
  afterAll(async () => {
    await site[Symbol.asyncDispose]();
  });

  /** Means of CPU by name, the least of six tries each where the first was too much. */
  async function dearest(limitMs: number, requests: readonly (readonly [name: string, send: () => Promise<unknown>])[]) {
    const over: string[] = [];
    let most = { name: "", ms: 0 };
    for (const [name, send] of requests) {
      let least = Number.POSITIVE_INFINITY;
      for (let attempt = 0; attempt < 6 && least >= limitMs; attempt += 1) {
        const before = cpuMs(site.controlPlane.pid);
        for (let n = 0; n < calls; n += 1) await send();
        least = Math.min(least, asUsualMs((cpuMs(site.controlPlane.pid) - before) / calls, limitMs));
      }
      if (least >= limitMs) over.push(`${name}: ${least.toFixed(0)} ms`);
      if (least > most.ms) most = { name, ms: least };
    }
    return { over, most };
  }

  const all: readonly Operation[] = [...operations, ...agentOperations];
  const pathOf = ({ path }: Operation): string => path.replaceAll(/\{\w+\}/g, "00000000-0000-4000-8000-000000000001");
  const send = async (operation: Operation, body: string | Uint8Array<ArrayBuffer>, headers: Readonly<Record<string, string>>) => {
    const answer = await fetch(site.base + pathOf(operation), {
      method: operation.method,
      headers: { "content-type": "application/json", ...headers },
      ...(operation.method !== "GET" && { body }),
    });
    await answer.arrayBuffer();
    expect(answer.status).toBeLessThan(500);
  };

  attack("A5", "the largest and the meanest bodies to every operation, without a key", async (held) => {
    const body = meanBodies["names of their own"] ?? "";
    const packed = Uint8Array.from(gzipSync(Buffer.alloc(50_000_000, 0x20)));
    const { over, most } = await dearest(
      strangerLimitMs,
      all.flatMap((operation) => [
        [`${operation.id}, names`, () => send(operation, body, {})],
        [`${operation.id}, a bomb`, () => send(operation, packed, { "content-encoding": "gzip" })],
      ]),
    );
    expect(over).toEqual([]);
    held(
      "rights come before bodies",
      `${all.length} operations; the dearest ${most.ms.toFixed(0)} ms of CPU (limit ${strangerLimitMs}): ${most.name}`,
    );
  });

  attack("A5", "the largest and the meanest bodies to every operation, with a key", async (held) => {
    const writing = all.filter(({ method, access }) => method !== "GET" && access !== "public");
    const withKey = ({ access }: Operation) => ({ authorization: `Bearer ${keys[access] ?? site.ownerKey}` });
    const small = writing.flatMap((operation) =>
      Object.entries(meanBodies).map(
        ([kind, body]) => [`${operation.id}, ${kind}`, () => send(operation, body, withKey(operation))] as const,
      ),
    );
    const large = writing
      .filter(({ id }) => id === "reportAttempt" || id === "reportAttempts")
      .flatMap((operation) =>
        ["1", "{}"].flatMap((value) => {
          const body = largeReport(operation, value);
          const packed = Uint8Array.from(gzipSync(body));
          return [
            [`${operation.id}, a report of 7 MB of ${value}`, () => send(operation, body, withKey(operation))],
            [
              `${operation.id}, a packed report of 7 MB of ${value}`,
              () => send(operation, packed, { ...withKey(operation), "content-encoding": "gzip" }),
            ],
          ] as const;
        }),
      );
    const { over, most } = await dearest(keyLimitMs, [...large, ...small]);
    expect(over).toEqual([]);
    held(
      "sizes and values are bounded",
      `${writing.length} operations; the dearest ${most.ms.toFixed(0)} ms of CPU (limit ${keyLimitMs}): ${most.name}`,
    );
  });

  attack("A5", "the largest and the meanest forms to every address of one, by strangers", async (held) => {
    const here = browser(site.base);
    await here.get("/sign-in");
    const cookie = [...here.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const paths = ["/", "/sign-in", "/sign-out", "/set-up", "/join/x", "/dashboards/x", "/dashboards/x/checks/y", "/status/x/subscribe"];
    const more = [
      "/subscriptions/x/confirm",
      "/subscriptions/x/unsubscribe",
      "/checks/new",
      "/members/invitations",
      "/channels",
      "/nowhere",
    ];
    const bodies = {
      pairs: "a&".repeat(32_000),
      long: `a=${"%41".repeat(21_000)}`,
      most: "a=%ff&".repeat(999),
      percent: "%".repeat(65_000),
    };
    const post = async (path: string, body: string) => {
      const headers = { "content-type": "application/x-www-form-urlencoded", cookie };
      await (await fetch(site.base + path, { method: "POST", body, headers, redirect: "manual" })).arrayBuffer();
    };
    const { over, most } = await dearest(
      strangerLimitMs,
      [...paths, ...more].flatMap((path) =>
        Object.entries(bodies).map(([kind, body]) => [`${path}, ${kind}`, () => post(path, body)] as const),
      ),
    );
    expect(over).toEqual([]);
    held(
      "forms are judged by their head",
      `${paths.length + more.length} addresses; the dearest ${most.ms.toFixed(0)} ms of CPU (limit ${strangerLimitMs}): ${most.name}`,
    );
  });
});
