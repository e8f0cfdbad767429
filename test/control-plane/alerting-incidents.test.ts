import { afterAll, describe, expect, it } from "vitest";
import type { AttemptReport } from "#contract/agent-protocol.ts";
import type { StatusPageIncident } from "#contract/status-pages/incidents.ts";
import { enginesUnderTest } from "../support/engines.ts";
import { type AlertingSite, alertingSite, down, minute } from "./alerting-site.ts";
import { eventually } from "./control-plane-under-test.ts";
import { FakeAgent } from "./fake-agent.ts";

const engines = await enginesUnderTest();
afterAll(async () => {
  await engines[Symbol.asyncDispose]();
});

/** Its checks open incidents of the service. */
interface Site extends Omit<AlertingSite, "run"> {
  readonly serviceId: string;
  readonly run: (checkId: string, changes: readonly Partial<AttemptReport>[]) => Promise<void>;
  /** All of them, the newest first. */
  readonly incidents: () => Promise<readonly StatusPageIncident[]>;
  readonly newest: () => Promise<string>;
}

const slow = { isDegraded: true } as const;
const up = {};

describe.each(engines.list)("incidents that checks open on $name", { timeout: 120_000 }, (engine) => {
  async function running(): Promise<Site> {
    const plane = await alertingSite(await engine.databaseUrl());
    const serviceId = (await plane.call("POST", "/v1/status-pages/services", { body: { name: "Checkout" } })).body.id;
    const triggerIncident = {
      serviceId,
      severity: "MAJOR",
      name: "Checkout fails",
      description: "We are looking.",
      notifySubscribers: true,
    };
    return {
      ...plane,
      serviceId,
      make: (changes = {}) => plane.make({ name: "Shop", triggerIncident, ...changes }),
      run: async (checkId, changes) => {
        for (const change of changes) await plane.run(checkId, change);
      },
      incidents: async () => (await plane.call("GET", "/v1/status-pages/incidents")).body.entries,
      newest: async () => (await plane.call("GET", "/v1/status-pages/incidents")).body.entries[0].id,
    };
  }

  it("stand on the page of the service from the failure to the recovery, with an update for each", async () => {
    await using site = await running();
    const cards = [{ name: "Shop", services: [{ id: site.serviceId }] }];
    await site.call("POST", "/v1/status-pages", { body: { name: "Shop", url: "shop", cards } });
    const onPage = async () => (await site.call("GET", "/v1/status-pages")).body.entries[0].incidents;
    const check = await site.make();
    await site.run(check, [up, down, down]);
    const opened = { status: "INVESTIGATING", description: "We are looking.", notifySubscribers: true };
    const common = { name: "Checkout fails", severity: "MAJOR", services: [{ id: site.serviceId, name: "Checkout" }] };
    expect(await onPage()).toMatchObject([{ ...common, lastUpdateStatus: "INVESTIGATING", duration: null, incidentUpdates: [opened] }]);
    await site.run(check, [up, up]);
    const resolved = { status: "RESOLVED", description: "Shop passes again.", notifySubscribers: true };
    expect(await onPage()).toEqual([]);
    expect(await site.incidents()).toMatchObject([
      { ...common, lastUpdateStatus: "RESOLVED", duration: expect.any(Number), incidentUpdates: [resolved, opened] },
    ]);
    await site.run(check, [down]);
    expect((await site.incidents()).map(({ lastUpdateStatus }) => lastUpdateStatus)).toEqual(["INVESTIGATING", "RESOLVED"]);
  });

  it.each<[string, (site: Site) => object]>([
    ["is about a tag of the check", () => ({ tags: ["shop"] })],
    ["is about the service", ({ serviceId }) => ({ statusPageVisibility: { serviceIds: [serviceId] } })],
    ["is about everything", () => ({ statusPageVisibility: { affectAllServices: true } })],
  ])("are not opened during maintenance that says so and %s", async (_what, about) => {
    await using site = await running();
    const hour = 60 * minute;
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    const window = (changes: { readonly statusPageVisibility?: object }, suppressAutoIncidents: boolean, startMs: number) =>
      site.call("POST", "/v1/maintenance-windows", {
        body: {
          name: "Updates",
          startsAt: at(startMs),
          endsAt: at(startMs + hour),
          ...changes,
          statusPageVisibility: { ...changes.statusPageVisibility, suppressAutoIncidents },
        },
      });
    const [one, other] = [await site.make({ tags: ["shop"] }), await site.make()];
    const { status, body: now } = await window(about(site), true, -minute);
    expect(status).toBe(201);
    expect((await window({ statusPageVisibility: { affectAllServices: true } }, true, 2 * hour)).status).toBe(201);
    await site.run(one, [down]);
    expect(await site.incidents()).toEqual([]);
    // Alerts are another matter.
    await eventually(async () => (await site.call("GET", "/v1/check-alerts")).body.length === 1);
    expect((await site.call("DELETE", `/v1/maintenance-windows/${now.id}`)).status).toBe(204);
    await site.run(one, [up, down]);
    await site.run(other, [down]);
    expect(await site.incidents()).toHaveLength(2);
  });

  it("are opened by failures and not by degradations, and stay open while the check is degraded", async () => {
    await using site = await running();
    const check = await site.make();
    await site.run(check, [slow]);
    expect(await site.incidents()).toEqual([]);
    await site.run(check, [down, slow, down, slow]);
    expect(await site.incidents()).toMatchObject([{ lastUpdateStatus: "INVESTIGATING", incidentUpdates: [{}] }]);
    await site.run(check, [up]);
    expect(await site.incidents()).toMatchObject([{ lastUpdateStatus: "RESOLVED", incidentUpdates: [{}, {}] }]);
  });

  it("are not opened by a check that is muted, nor before its threshold", async () => {
    await using site = await running();
    const alertSettings = { escalationType: "RUN_BASED", runBasedEscalation: { failedRunThreshold: 2 } };
    const [muted, patient] = [await site.make({ muted: true }), await site.make({ useGlobalAlertSettings: false, alertSettings })];
    for (const check of [muted, patient]) await site.run(check, [down]);
    expect(await site.incidents()).toEqual([]);
  });

  it("are not opened inside a maintenance window that silences the check, but after it where the check still fails", async () => {
    await using site = await running();
    const [startsAt, endsAt] = [-minute, 60 * minute].map((fromNowMs) => new Date(Date.now() + fromNowMs).toISOString());
    const window = { name: "Updates", startsAt, endsAt, repeatUnit: "", silenceAlertsTags: ["shop"] };
    expect((await site.call("POST", "/v1/maintenance-windows", { body: window })).status).toBe(201);
    const [over, lasting] = [await site.make({ tags: ["shop"], name: "over" }), await site.make({ tags: ["shop"], name: "lasting" })];
    await site.run(over, [down, up]);
    await site.run(lasting, [down]);
    expect(await site.incidents()).toEqual([]);
    site.advance(61 * minute);
    // Nothing is told of what nobody looks at.
    await FakeAgent.open(site.base, await site.locationKey("eu-west-1"));
    await eventually(async () => (await site.incidents()).length > 0);
    expect(await site.incidents()).toMatchObject([{ lastUpdateStatus: "INVESTIGATING" }]);
  });

  it("are opened by a heartbeat that stays away, and resolved by the next ping", async () => {
    await using site = await running();
    const triggerIncident = {
      serviceId: site.serviceId,
      severity: "CRITICAL",
      name: "No backup",
      description: "",
      notifySubscribers: false,
    };
    const heartbeat = { period: 1, periodUnit: "hours", grace: 0, graceUnit: "seconds" };
    const { body } = await site.call("POST", "/v1/checks/heartbeat", { body: { name: "backup", heartbeat, triggerIncident } });
    await fetch(body.heartbeat.pingUrl);
    site.advance(61 * minute);
    await eventually(async () => (await site.incidents()).length > 0);
    expect(await site.incidents()).toMatchObject([{ name: "No backup", severity: "CRITICAL", lastUpdateStatus: "INVESTIGATING" }]);
    await fetch(body.heartbeat.pingUrl);
    expect(await site.incidents()).toMatchObject([{ lastUpdateStatus: "RESOLVED" }]);
  });

  it("end with the recovery also where their settings, their service or a future date came between", async () => {
    await using site = await running();
    const check = await site.make();
    await site.run(check, [down]);
    const id = await site.newest();
    const body = {
      description: "We know.",
      status: "IDENTIFIED",
      publicIncidentUpdateDate: new Date(Date.now() + 3_600_000).toISOString(),
    };
    await site.call("POST", `/v1/status-pages/incidents/${id}/incident-updates`, { body });
    await site.call("PUT", `/v1/checks/api/${check}`, { body: { triggerIncident: null } });
    await site.call("DELETE", `/v1/status-pages/services/${site.serviceId}`);
    await site.run(check, [up, down]);
    expect(await site.incidents()).toMatchObject([{ id, services: [], lastUpdateStatus: "RESOLVED" }]);
  });

  it("are left as people leave them: resolved by hand, or deleted", async () => {
    await using site = await running();
    const [byHand, deleted] = [await site.make({ name: "by hand" }), await site.make({ name: "deleted" })];
    await site.run(byHand, [down]);
    const id = await site.newest();
    const body = { description: "We fixed it.", status: "RESOLVED" };
    await site.call("POST", `/v1/status-pages/incidents/${id}/incident-updates`, { body });
    await site.run(byHand, [down, up, down]);
    const second = await site.newest();
    expect(await site.incidents()).toMatchObject([{ lastUpdateStatus: "INVESTIGATING" }, { id, incidentUpdates: [body, {}] }]);
    await site.call("DELETE", `/v1/status-pages/incidents/${second}`);
    await site.run(byHand, [up]);
    await site.run(deleted, [down]);
    await site.call("DELETE", `/v1/status-pages/incidents/${await site.newest()}`);
    await site.run(deleted, [up]);
    expect((await site.incidents()).map((incident) => incident.id)).toEqual([id]);
  });
});
