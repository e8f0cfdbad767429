import { describe, expect, it } from "vitest";
import { account, agent, check, definition, location, minutely, t0, useEngines } from "./fixture.ts";

const engines = await useEngines();
const minute = 60_000;

/** As the resource of maintenance windows stores it. */
function windowOf(name: string, fromMinute: number, toMinute: number, effect: object) {
  const at = (inMinutes: number): string => new Date(t0 + inMinutes * minute).toISOString();
  const once = { repeatInterval: null, repeatUnit: null, repeatEndsAt: null, timezone: null };
  const nothing = { tags: [], pauseAllChecks: false, silenceAlertsTags: [], silenceAllAlerts: false };
  return { name, startsAt: at(fromMinute), endsAt: at(toMinute), ...once, ...nothing, plan: 0, plannedAtMs: t0, ...effect };
}

describe.each(engines.names)("what is around checks in %s", (engine) => {
  it("is when each is due, where it runs and who was heard of there, and which windows hold for its tags", async () => {
    const storage = await engines.open(engine);
    const [owner, other] = [await account(storage), await account(storage)];
    const [berlin, paris] = [await location(storage, owner.id), await location(storage, owner.id, "paris")];
    await agent(storage, paris);
    const [shop, idle] = [await check(storage, owner.id, [berlin.id, paris.id]), await check(storage, owner.id, [berlin.id])];
    await storage.checks.update(owner.id, idle.uuid, {
      definition: definition({ activated: false }),
      locationIds: [berlin.id],
      schedule: minutely,
      nowMs: t0,
    });
    const windows = [
      [owner.id, windowOf("Both", -5, 5, { tags: ["shop"], silenceAlertsTags: ["shop"] })],
      [owner.id, windowOf("Silent", -1, 1, { silenceAllAlerts: true })],
      [owner.id, windowOf("Over", -9, -5, { pauseAllChecks: true })],
      [owner.id, windowOf("Ignored", -5, 5, {})],
      [other.id, windowOf("Foreign", -5, 5, { pauseAllChecks: true })],
    ] as const;
    for (const [accountId, window] of windows)
      await storage.documents.create({ accountId, kind: "maintenance-window", definition: window, nowMs: t0 });
    const span = (fromMinute: number, toMinute: number) => ({ startsAtMs: t0 + fromMinute * minute, endsAtMs: t0 + toMinute * minute });
    const both = { name: "Both", ...span(-5, 5), pauses: true, silences: true };
    const silent = { name: "Silent", ...span(-1, 1), pauses: false, silences: true };
    const over = { name: "Over", ...span(-9, -5), pauses: true, silences: false };

    const asked = [
      { id: shop.id, tags: ["web", "shop"] },
      { id: idle.id, tags: [] },
      { id: 999_999, tags: [] },
    ];
    const found = await storage.checkSituations.ofChecks(asked, t0);
    expect([...found.keys()].toSorted((a, b) => a - b)).toEqual([shop.id, idle.id]);
    expect(found.get(shop.id)).toMatchObject({ nextDueMs: t0 });
    expect(found.get(shop.id)?.places).toEqual([
      { name: berlin.name, lastSeenAtMs: null },
      { name: paris.name, lastSeenAtMs: t0 },
    ]);
    expect(found.get(shop.id)?.windows.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual([both, silent]);
    expect(found.get(idle.id)).toMatchObject({ nextDueMs: null, windows: [silent] });
    expect(await storage.checkSituations.ofChecks([], t0)).toEqual(new Map());
    const at = ({ code, name }: typeof berlin) => ({ code, name });
    expect(await storage.checkSituations.placesOf(owner.id)).toEqual(
      new Map([
        [shop.id, [at(berlin), at(paris)]],
        [idle.id, [at(berlin)]],
      ]),
    );
    expect(await storage.checkSituations.placesOf(other.id)).toEqual(new Map());
    expect(await storage.checkSituations.maintenance({ id: shop.id, tags: ["shop"] }, t0 - 9 * minute, t0)).toEqual([over, both, silent]);
    expect(await storage.checkSituations.maintenance({ id: 999_999, tags: ["shop"] }, t0 - 9 * minute, t0)).toEqual([]);
  });
});
