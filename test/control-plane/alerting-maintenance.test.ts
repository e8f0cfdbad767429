import { afterAll, describe, expect, it } from "vitest";
import { enginesUnderTest } from "../support/engines.ts";
import { type AlertingSite, alertingSite, down, made, minute } from "./alerting-site.ts";
import { eventually } from "./control-plane-under-test.ts";

const engines = await enginesUnderTest();
afterAll(async () => {
  await engines[Symbol.asyncDispose]();
});

interface Site extends AlertingSite {
  /** A window from now on. @returns its number */
  readonly maintain: (minutes: number, changes?: object) => Promise<string>;
}

const shop = { tags: ["shop"] };

describe.each(engines.list)("maintenance windows and alerts on $name", { timeout: 120_000 }, (engine) => {
  async function running(): Promise<Site> {
    const site = await alertingSite(await engine.databaseUrl());
    const clock = (inMinutes: number): string => new Date(site.context.nowMs() + inMinutes * minute).toISOString();
    return {
      ...site,
      maintain: async (minutes, changes = {}) => {
        const times = { startsAt: clock(-1), endsAt: clock(minutes) };
        const body = { name: "Updates", ...times, repeatUnit: "", silenceAlertsTags: ["shop"], ...changes };
        return made(await site.call("POST", "/v1/maintenance-windows", { body }));
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
