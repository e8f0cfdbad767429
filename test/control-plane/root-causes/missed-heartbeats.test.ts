import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { storedAnalysis } from "../../../src/control-plane/root-causes/stored-analysis.ts";
import type { CauseKind } from "../../../src/domain/root-causes/cause.ts";
import { firstOwner } from "../console/people.ts";
import { eventually } from "../control-plane-under-test.ts";
import { type FailingSite, failingSite } from "./failing-site.ts";

const minute = 60_000;
const times = { period: 10, periodUnit: "minutes", grace: 2, graceUnit: "minutes" };

interface Heartbeat {
  readonly id: string;
  readonly ping: (headers?: Readonly<Record<string, string>>) => Promise<void>;
}

/** Of what nobody pings in time, by real pings; the clock is moved. */
describe("missed heartbeats: rules name the cause", { timeout: 120_000 }, () => {
  let site: FailingSite;
  const made: string[] = [];
  beforeAll(async () => {
    site = await failingSite();
  }, 120_000);
  afterAll(() => site[Symbol.asyncDispose]());

  async function heartbeat(name = "Backup", more: object = {}): Promise<Heartbeat> {
    const { status, body } = await site.call("POST", "/v1/checks/heartbeat", { body: { name, heartbeat: times, ...more } });
    expect(status).toBe(201);
    made.push(body.id);
    const ping = async (headers: Readonly<Record<string, string>> = { "user-agent": "backup.sh" }): Promise<void> => {
      expect((await fetch(body.heartbeat.pingUrl, { headers })).status).toBe(200);
    };
    return { id: body.id, ping };
  }

  const eventsOf = async (id: string) => (await site.call("GET", `/v1/checks/heartbeats/${id}/events`)).body[0].events;
  const missed = (id: string) => eventually(async () => (await eventsOf(id))[0]?.state === "FAILING");

  async function pings(minutesApart: number, ...heartbeats: readonly Heartbeat[]): Promise<void> {
    for (let count = 0; count < 4; count += 1) {
      if (count > 0) site.advance(minutesApart * minute);
      for (const one of heartbeats) await one.ping();
    }
  }

  const scenes: readonly [title: string, cause: CauseKind, says: RegExp, stage: () => Promise<Heartbeat>][] = [
    [
      "the job stops",
      "not-pinged",
      /No ping came after .* from backup\.sh\. Until then it was pinged every 10 minutes/,
      async () => {
        const one = await heartbeat();
        await pings(10, one);
        site.advance(13 * minute);
        return one;
      },
    ],
    [
      "a host with three jobs goes down",
      "host",
      /2 of 2 other heartbeats were missed at the same time/,
      async () => {
        const all = [await heartbeat(), await heartbeat("Reports"), await heartbeat("Mails")] as const;
        await pings(10, ...all);
        site.advance(13 * minute);
        for (const { id } of all) await missed(id);
        return all[0];
      },
    ],
    [
      "the job runs later than its grace",
      "schedule",
      /runs, but late: its ping came 5 minutes after/,
      async () => {
        const one = await heartbeat();
        await pings(10, one);
        site.advance(13 * minute);
        await missed(one.id);
        site.advance(4 * minute);
        await one.ping();
        return one;
      },
    ],
    [
      "the period is shorter than the job's",
      "schedule",
      /pings every 11 minutes, longer than its period of 10 minutes/,
      async () => {
        const one = await heartbeat();
        await pings(11, one);
        site.advance(13 * minute);
        return one;
      },
    ],
    [
      "somebody else pings last",
      "address",
      /The last ping came from curl, all before from backup\.sh/,
      async () => {
        const one = await heartbeat();
        await pings(10, one);
        site.advance(5 * minute);
        await one.ping({ "user-agent": "curl" });
        site.advance(13 * minute);
        return one;
      },
    ],
    [
      "planned work goes on",
      "maintenance",
      /maintenance window Move held when no ping came/,
      async () => {
        const one = await heartbeat("Backup", { tags: ["move"] });
        await pings(10, one);
        const now = Date.parse((await eventsOf(one.id))[0].timestamp);
        const at = (minutes: number): string => new Date(now + minutes * minute).toISOString();
        const body = { name: "Move", startsAt: at(1), endsAt: at(60), repeatUnit: "", tags: ["no-such-tag"], silenceAlertsTags: ["move"] };
        expect((await site.call("POST", "/v1/maintenance-windows", { body })).status).toBe(201);
        site.advance(13 * minute);
        return one;
      },
    ],
    [
      "somebody makes the period shorter",
      "edit",
      /changed the check \(.*heartbeat.*\) .* before it was missed/,
      async () => {
        const one = await heartbeat("Backup", { heartbeat: { ...times, period: 20 } });
        await pings(20, one);
        const { status } = await site.call("PUT", `/v1/checks/heartbeat/${one.id}`, { body: { heartbeat: times } });
        expect(status).toBe(200);
        site.advance(13 * minute);
        return one;
      },
    ],
  ];

  it.each(scenes)("%s: %s", async (_title, cause, says, stage) => {
    const { id } = await stage();
    await eventually(async () => (await eventsOf(id)).some(({ state }: { readonly state: string }) => state === "FAILING"));
    const { stored, told } = await site.why(id, "standing");
    const named = stored.causes.filter(({ kind }) => kind === cause).map(({ text }) => text);
    expect(named.join(" ")).toMatch(says);
    expect(stored.causes.every(({ evidence }) => evidence.length > 0)).toBe(true);
    expect(told).toMatchObject({ provider: "outpost", model: "rules", checkId: id, checkType: "HEARTBEAT", errorGroupId: null });
    expect(told.analysis.userImpact).toContain("had no ping");
    for (const one of made.splice(0)) await site.call("DELETE", `/v1/checks/${one}`);
  });

  it("are looked at without anybody asking once the alert has opened, and told on the pages of check and alert", async () => {
    const one = await heartbeat("Nightly");
    await pings(10, one);
    site.advance(13 * minute);
    const [known] = await site.context.storage.checkIndex.byUuids(site.account.id, [one.id]);
    const of = { errorGroupId: null, testFailureGroupId: null, checkId: known?.id ?? 0 };
    const row = await eventually(async () => {
      const latest = await site.context.storage.analyses.latest(site.account.id, of);
      return latest?.status === "COMPLETED" && latest;
    });
    expect(row.askedBy).toBeNull();
    expect(storedAnalysis(row.completed?.analysis)?.causes.map(({ kind }) => kind)).toContain("not-pinged");
    const owner = await firstOwner(site);
    const page = (await owner.get(`/checks/${one.id}`)).text;
    expect(page).toContain("No ping came after");
    const episode = /href="(\/alerts\/episodes\/[0-9a-f-]{36})"/.exec((await owner.get(`/alerts?check=${one.id}`)).text)?.[1] ?? "none";
    expect((await owner.get(episode)).text).toContain("No ping came after");
    expect((await owner.post("/alerts/causes/ask", { check: one.id, to: `/checks/${one.id}` })).location).toBe(
      `/checks/${one.id}#likely-cause`,
    );
  });

  it("are nobody else's, and unknown checks have no cause", async () => {
    const one = await heartbeat();
    const key = await site.keyFor("READ_ONLY");
    expect((await site.call("POST", `/v1/root-cause-analyses/checks/${one.id}`, { key, body: {} })).status).toBe(403);
    expect((await site.call("POST", `/v1/root-cause-analyses/checks/${crypto.randomUUID()}`, { body: {} })).status).toBe(404);
    const other = await site.context.storage.accounts.create({ uuid: crypto.randomUUID(), name: "b", runtimeId: "2026.04", nowMs: 0 });
    const stranger = await site.keyFor("OWNER", other.id);
    expect((await site.call("POST", `/v1/root-cause-analyses/checks/${one.id}`, { key: stranger, body: {} })).status).toBe(404);
  });
});
