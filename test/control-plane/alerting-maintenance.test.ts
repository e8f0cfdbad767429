import { afterAll, describe, expect, it } from "vitest";
import type { AttemptReport } from "#contract/agent-protocol.ts";
import { enginesUnderTest } from "../support/engines.ts";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest, eventually } from "./control-plane-under-test.ts";
import { FakeAgent, reportOf } from "./fake-agent.ts";

const minute = 60_000;
const engines = await enginesUnderTest();
afterAll(async () => {
  await engines[Symbol.asyncDispose]();
});

interface Site extends ControlPlaneUnderTest {
  readonly make: (changes?: object) => Promise<string>;
  /** Triggers the check and lets its agent report what came out. */
  readonly run: (checkId: string, change?: Partial<AttemptReport>) => Promise<void>;
  readonly types: (checkId: string) => Promise<readonly string[]>;
  /** A window from now on. @returns its number */
  readonly maintain: (minutes: number, changes?: object) => Promise<number>;
  /** As the control plane sees it, in so many minutes. */
  readonly clock: (inMinutes: number) => string;
  /** Lets the clock jump, and agents be heard of. */
  readonly skip: (minutes: number) => Promise<void>;
}

const down = { hasFailures: true, statusCode: 503, errorMessage: "status 503 is not 200" } as const;
const shop = { tags: ["shop"] };

describe.each(engines.list)("maintenance windows and alerts on $name", { timeout: 60_000 }, (engine) => {
  async function running(): Promise<Site> {
    const url = await engine.databaseUrl();
    const plane = await controlPlaneUnderTest(url === undefined ? {} : { DATABASE_URL: url });
    const key = await plane.locationKey("eu-west-1");
    let skipped = 0;
    const clock = (inMinutes: number): string => new Date(Date.now() + (skipped + inMinutes) * minute).toISOString();
    return {
      ...plane,
      clock,
      skip: async (minutes) => {
        skipped += minutes;
        plane.advance(minutes * minute);
        await FakeAgent.open(plane.base, key);
      },
      make: async (changes = {}) => (await plane.call("POST", "/v1/checks/api", { body: apiCheck(changes) })).body.id,
      run: async (checkId, change = {}) => {
        await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId } } });
        // Those of before a jump of the clock are gone.
        const agent = await FakeAgent.open(plane.base, key);
        const [job] = await agent.lease(1, 5);
        const answers = await agent.report(reportOf(job!, change));
        if (answers[0]?.outcome !== "accepted") throw new Error(`not accepted: ${JSON.stringify(answers)}`);
      },
      types: async (checkId) => {
        const { body } = await plane.call("GET", `/v1/check-alerts/${checkId}`);
        return body.map(({ alertType }: { alertType: string }) => alertType).toReversed();
      },
      maintain: async (minutes, changes = {}) => {
        const times = { startsAt: clock(-1), endsAt: clock(minutes) };
        const body = { name: "Updates", ...times, repeatUnit: "", silenceAlertsTags: ["shop"], ...changes };
        const answer = await plane.call("POST", "/v1/maintenance-windows", { body });
        if (answer.status !== 201) throw new Error(answer.text);
        return answer.body.id;
      },
    };
  }

  it("nothing is told of what happened inside, and at the end what still fails; triggered runs run", async () => {
    await using site = await running();
    const [over, lasting, other] = [await site.make(shop), await site.make(shop), await site.make({ tags: ["web"] })];
    await site.maintain(60);
    for (const id of [over, lasting, other]) await site.run(id, down);
    await site.run(over);
    expect([await site.types(over), await site.types(lasting), await site.types(other)]).toEqual([[], [], ["ALERT_FAILURE"]]);
    await site.skip(61);
    await eventually(async () => (await site.types(lasting)).length > 0);
    await site.run(lasting);
    for (const id of [over, lasting]) await site.run(id);
    expect([await site.types(over), await site.types(lasting)]).toEqual([[], ["ALERT_FAILURE", "ALERT_RECOVERY"]]);
  });

  it("a failure that was told before is not reminded of, and its recovery inside is told at the end", async () => {
    await using site = await running();
    const reminders = { amount: 5, interval: 5 };
    await site.call("PATCH", "/v1/accounts/me", { body: { alertSettings: { escalationType: "RUN_BASED", reminders } } });
    const { body: group } = await site.call("POST", "/v1/check-groups", { body: { name: "all of the shop", tags: ["shop"] } });
    const [silent, loud] = [await site.make({ groupId: group.id }), await site.make()];
    for (const id of [silent, loud]) await site.run(id, down);
    await site.maintain(60);
    await site.skip(6);
    await eventually(async () => (await site.types(loud)).length === 2);
    await site.run(silent);
    expect([await site.types(silent), await site.types(loud)]).toEqual([["ALERT_FAILURE"], ["ALERT_FAILURE", "ALERT_FAILURE_REMAIN"]]);
    await site.skip(60);
    await eventually(async () => (await site.types(silent)).length === 2);
    expect(await site.types(silent)).toEqual(["ALERT_FAILURE", "ALERT_RECOVERY"]);
  });

  it("a window that is deleted, replaced or over early is told of at once", async () => {
    await using site = await running();
    const id = await site.make(shop);
    const told = async (count: number) => eventually(async () => (await site.types(id)).length === count);
    const first = await site.maintain(600);
    await site.run(id, down);
    expect(await site.types(id)).toEqual([]);
    await site.call("DELETE", `/v1/maintenance-windows/${first}`);
    await told(1);

    const second = await site.maintain(600, { silenceAlertsTags: [], silenceAllAlerts: true });
    await site.run(id);
    expect(await site.types(id)).toHaveLength(1);
    await site.call("PUT", `/v1/maintenance-windows/${second}`, { body: { silenceAlertsTags: ["web"], repeatUnit: "" } });
    await told(2);

    const third = await site.maintain(600);
    await site.run(id, down);
    expect(await site.types(id)).toHaveLength(2);
    const maintenances = `/v1/maintenance-windows/${third}/maintenances`;
    const { body } = await site.call("GET", maintenances);
    await site.call("POST", `${maintenances}/${body[0].id}/updates`, { body: { status: "COMPLETED", description: "Done early." } });
    await told(3);
    expect(await site.types(id)).toEqual(["ALERT_FAILURE", "ALERT_RECOVERY", "ALERT_FAILURE"]);
  });

  it("a window that comes again silences each time", async () => {
    await using site = await running();
    const id = await site.make(shop);
    await site.maintain(60, { repeatInterval: 1, repeatUnit: "DAY", timezone: "UTC", tags: ["shop"] });
    for (const change of [down, {}]) await site.run(id, change);
    await site.skip(24 * 60);
    for (const change of [down, {}]) await site.run(id, change);
    expect(await site.types(id)).toEqual([]);
    await site.skip(120);
    await site.run(id, down);
    expect(await site.types(id)).toEqual(["ALERT_FAILURE"]);
  });
});
