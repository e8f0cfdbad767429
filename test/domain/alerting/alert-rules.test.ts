import { describe, expect, it } from "vitest";
import type { CheckGroupSettings } from "#contract/check-groups.ts";
import { defaultAlertSettings } from "#contract/checks/alert-settings.ts";
import { alertRules } from "#domain/alerting/alert-rules.ts";
import { effectiveAlerts } from "#domain/effective-check.ts";

const minute = 60_000;
const runs = (failedRunThreshold: number) => ({ ...defaultAlertSettings, runBasedEscalation: { failedRunThreshold } });
const account = runs(5);
const check = { activated: true, muted: false, tags: [], runParallel: false };
const group = (settings: object) => ({ activated: true, muted: false, tags: [], ...settings }) as unknown as CheckGroupSettings;

describe("alert rules", () => {
  it.each([
    ["the account's", {}, null, 5],
    ["the account's where the check wants them", { useGlobalAlertSettings: true, alertSettings: runs(2) }, null, 5],
    ["the check's", { useGlobalAlertSettings: false, alertSettings: runs(2) }, null, 2],
    ["the check's before its group's", { useGlobalAlertSettings: false, alertSettings: runs(2) }, { alertSettings: runs(3) }, 2],
    ["the group's where it enforces them", { useGlobalAlertSettings: true }, { useGlobalAlertSettings: false, alertSettings: runs(3) }, 3],
    ["the account's where the group follows it", {}, { useGlobalAlertSettings: true, alertSettings: runs(3) }, 5],
    ["the account's where the group has none", {}, { useGlobalAlertSettings: null, alertSettings: null }, 5],
    ["the account's where the check has none", { useGlobalAlertSettings: false, alertSettings: null }, null, 5],
  ])("are %s", (_case, own, ofGroup, failedRuns) => {
    const said = { ...check, ...own };
    const effective = ofGroup === null ? said : { ...said, ...effectiveAlerts(group(ofGroup), said) };
    expect(alertRules(effective, account).escalation).toEqual({ by: "runs", failedRuns });
  });

  it("have defaults for all that nobody says", () => {
    const nothing = {
      escalation: { by: "runs", failedRuns: 1 },
      reminders: { amount: 0, intervalMs: 5 * minute },
      failingShare: null,
      confirmation: "NONE",
    };
    expect(alertRules({}, {})).toEqual(nothing);
    expect(alertRules({}, defaultAlertSettings)).toEqual(nothing);
    expect(alertRules({}, { escalationType: "TIME_BASED", timeBasedEscalation: {} }).escalation).toEqual({
      by: "time",
      failingMs: 5 * minute,
    });
  });

  it("take only the escalation that is chosen, and the share only where it is on", () => {
    const both = {
      escalationType: "TIME_BASED",
      runBasedEscalation: { failedRunThreshold: 3 },
      timeBasedEscalation: { minutesFailingThreshold: 30 },
    };
    expect(alertRules({}, both).escalation).toEqual({ by: "time", failingMs: 30 * minute });
    expect(alertRules({}, { parallelRunFailureThreshold: { enabled: false, percentage: 50 } }).failingShare).toBeNull();
    expect(alertRules({}, { parallelRunFailureThreshold: { enabled: true, percentage: 50 } }).failingShare).toBe(50);
  });
});
