import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { FakeAgent } from "../control-plane/fake-agent.ts";
import { attemptReport } from "../support/attempt-report.ts";
import { checkDetails } from "../support/check-details.ts";
import { Site } from "../support/site.ts";
import { attack } from "./attack.ts";
import { asUsualMs, cpuPerCallMs } from "./cpu-of.ts";

/** On a machine that does nothing else. */
const limitMs = 250;

describe("what a location key may bring", { timeout: 180_000 }, () => {
  let site: Site;
  let key: string;
  beforeAll(async () => {
    site = await Site.start();
    key = await site.location("berlin");
  }, 120_000);
  afterAll(async () => {
    await site[Symbol.asyncDispose]();
  });
  /** So many bytes of names, each with a number. */
  const names = (bytes: number): Readonly<Record<string, number>> =>
    Object.fromEntries(Array.from({ length: bytes / 16 }, (_, index) => [`n${index.toString(36).padStart(11, "x")}`, 1]));
  attack("A2", "3.5 and 7 MB of names of metrics", async (held) => {
    for (const bytes of [3_500_000, 7_000_000]) {
      const body = JSON.stringify({ reports: [attemptReport({ metrics: names(bytes) })] });
      const send = async (agent: FakeAgent) => (await agent.send("POST", "/results", body)).status;
      const agent = await FakeAgent.open(site.base, key);
      expect(await send(agent)).toBe(413);
      expect(await send(agent)).toBe(413);
    }
    const agent = await FakeAgent.open(site.base, key);
    const body = JSON.stringify({ reports: [attemptReport({ metrics: names(3_500_000) })] });
    const spent = await cpuPerCallMs(site.controlPlane.pid, () => agent.send("POST", "/results", body), { calls: 3 });
    expect(asUsualMs(spent, limitMs)).toBeLessThan(limitMs);
    held("values are counted before they become objects (413)", `${spent.toFixed(0)} ms of CPU (limit ${limitMs})`);
  });

  attack("A2", "the meanest reports that may become objects", async (held) => {
    const values = 97_000;
    const manyNames = names(values * 16);
    const api = checkDetails.API as { readonly request: object };
    const wrong = (count: number) => Array.from({ length: count }, () => ({}));
    const reports: Readonly<Record<string, readonly unknown[]>> = {
      metrics: [attemptReport({ metrics: manyNames })],
      headers: [attemptReport({ detail: { ...api, request: { ...api.request, headers: manyNames } } })],
      shapes: [
        attemptReport({
          detail: {
            ...api,
            assertions: Object.keys(manyNames)
              .slice(0, values / 2)
              .map((name) => ({ [name]: 1 })),
          },
        }),
      ],
      "wrong values": [attemptReport({ detail: { ...api, redirects: Array.from({ length: values }, () => 1) } })],
      log: [attemptReport({ detail: { ...api, jobLog: { setup: wrong(10_000), request: wrong(10_000), teardown: wrong(10_000) } } })],
      nothing: Array.from({ length: 1_000 }, () => ({})),
      "a thousand": Array.from({ length: 1_000 }, (_, index) =>
        attemptReport({ attempt: 1, fence: index, detail: checkDetails.API }),
      ).slice(0, 900),
    };
    const figures: string[] = [];
    for (const [kind, some] of Object.entries(reports)) {
      const body = JSON.stringify({ reports: some });
      const agent = await FakeAgent.open(site.base, key);
      const statuses = new Set<number>();
      const spent = await cpuPerCallMs(
        site.controlPlane.pid,
        async () => statuses.add((await agent.send("POST", "/results", body)).status),
        { calls: 3 },
      );
      figures.push(`${kind} ${spent.toFixed(0)}`);
      expect([kind, [...statuses]]).toEqual([kind, [200]]);
      expect([kind, asUsualMs(spent, limitMs)]).toEqual([kind, expect.toSatisfy((ms: number) => ms < limitMs)]);
    }
    held("names that nobody knows stay behind", `${figures.join(", ")} ms of CPU (limit ${limitMs})`);
  });
});

describe("a session that sends all that it can", () => {
  attack(
    "A2",
    "results on and on, where one agent may take a hundredth of a processor",
    async (held) => {
      await using site = await Site.start({ env: { AGENT_CPU_PERCENT: "1" } });
      const agent = await FakeAgent.open(site.base, await site.location("berlin"));
      const body = JSON.stringify({
        reports: Array.from({ length: 900 }, (_, index) => attemptReport({ fence: index, detail: checkDetails.API })),
      });
      let answer = await agent.send("POST", "/results", body);
      let taken = 0;
      for (; answer.status === 200 && taken < 100; taken += 1) answer = await agent.send("POST", "/results", body);
      expect([answer.status, answer.body.message]).toEqual([429, expect.stringContaining("This agent took more time of the processor")]);
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
      // It still tells that it lives, and opens its next session.
      expect((await agent.heartbeat([])).lost).toEqual([]);
      held("a budget of each session (429 with Retry-After)", `after ${taken} batches of 900 results`);
    },
    60_000,
  );

  attack(
    "A3",
    "hundreds of sessions, each with a megabyte of capabilities",
    async (held) => {
      await using site = await Site.start();
      const key = await site.location("berlin");
      const hello = (capabilities: object) => FakeAgent.hello(site.base, key, { capabilities });
      const large = Object.fromEntries(Array.from({ length: 4_000 }, (_, index) => [`c${index}`, "x".repeat(200)]));
      const many = Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`c${index}`, true]));
      for (let n = 0; n < 20; n += 1) expect((await hello(large)).status).toBe(413);
      const refused = await hello(many);
      expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining("must have at most 32 names")]);
      // The largest that are taken, more than are kept.
      const most = Object.fromEntries(Array.from({ length: 32 }, (_, index) => [`c${index}`.padEnd(50, "x"), "x".repeat(200)]));
      for (let n = 0; n < 300; n += 1) expect((await hello(most)).status).toBe(201);
      const folder = join(site.folder, "control-plane");
      const sizes = await Promise.all((await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size));
      const megabytes = sizes.reduce((sum, size) => sum + size, 0) / 1_048_576;
      expect(megabytes).toBeLessThan(30);
      held("32 names, a request of 64 KiB, 4 MB of sessions of a location", `${megabytes.toFixed(0)} MB of database (limit 30)`);
    },
    120_000,
  );
});
