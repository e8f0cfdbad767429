import { describe, expect, it } from "vitest";
import type { TriggerIncident } from "../../../src/contract/checks/check.ts";
import { openedIncident, resolvedIncident } from "../../../src/domain/alerting/check-incident.ts";
import { durationMs, statusOf } from "../../../src/domain/incidents.ts";

const trigger: TriggerIncident = {
  serviceId: "3F1C9B52-6C1D-4A63-9A0E-0C1F6A0C8F11",
  severity: "MAJOR",
  name: "Checkout fails",
  description: "We are looking.",
  notifySubscribers: true,
};

describe("the incident of a check", () => {
  it("is opened as the check's settings say", () => {
    const first = {
      id: "one",
      description: "We are looking.",
      status: "INVESTIGATING",
      publicAtMs: 10,
      notifySubscribers: true,
      createdAtMs: 10,
    };
    expect(openedIncident(trigger, "Shop", "one", 10)).toEqual({
      name: "Checkout fails",
      severity: "MAJOR",
      serviceIds: ["3f1c9b52-6c1d-4a63-9a0e-0c1f6a0c8f11"],
      updates: [first],
    });
  });

  it("takes the check's name where the settings have no text", () => {
    const { name, updates } = openedIncident({ ...trigger, name: "", description: "" }, "Shop", "one", 10);
    expect([name, updates[0]?.description]).toEqual(["Shop", "Shop fails."]);
  });

  it.each([true, false])("tells its end to those who were told of it: %s", (notifySubscribers) => {
    const opened = openedIncident({ ...trigger, notifySubscribers }, "Shop", "one", 10);
    const { updates } = resolvedIncident(opened, "Shop", "two", 70);
    expect(updates.at(-1)).toEqual({ ...updates.at(-1), id: "two", status: "RESOLVED", publicAtMs: 70, notifySubscribers });
    expect(durationMs(updates)).toBe(60);
  });

  it("is resolved although somebody wrote an update with a date to come", () => {
    const opened = openedIncident(trigger, "Shop", "one", 10);
    const [first] = opened.updates;
    const later = { ...opened, updates: [...opened.updates, { ...first!, status: "MONITORING" as const, publicAtMs: 500 }] };
    expect(statusOf(resolvedIncident(later, "Shop", "two", 70).updates)).toBe("RESOLVED");
  });

  it("stays as it is where people resolved it, and is resolved also where its updates were deleted", () => {
    const resolved = resolvedIncident(openedIncident(trigger, "Shop", "one", 10), "Shop", "two", 70);
    expect(resolvedIncident(resolved, "Shop", "three", 80)).toBe(resolved);
    expect(resolvedIncident({ ...resolved, updates: [] }, "Shop", "three", 80).updates).toMatchObject([
      { status: "RESOLVED", publicAtMs: 80 },
    ]);
  });
});
