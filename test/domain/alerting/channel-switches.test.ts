import { expect, it } from "vitest";
import { type ChannelSwitches, wantsAlert } from "../../../src/domain/alerting/channel-switches.ts";

const all: ChannelSwitches = { sendFailure: true, sendDegraded: true, sendRecovery: true, sslExpiry: true };
const failures = ["ALERT_FAILURE", "ALERT_FAILURE_REMAIN", "ALERT_DEGRADED_FAILURE"] as const;
const degradations = ["ALERT_FAILURE_DEGRADED", "ALERT_DEGRADED", "ALERT_DEGRADED_REMAIN"] as const;
const recoveries = ["ALERT_RECOVERY", "ALERT_DEGRADED_RECOVERY"] as const;
const everything = [...failures, ...degradations, ...recoveries, "ALERT_SSL"] as const;

it.each([
  ["every switch", all, everything],
  ["all but failures", { ...all, sendFailure: false }, [...degradations, ...recoveries, "ALERT_SSL"]],
  [
    "all but degradations, whose end it does not hear of either",
    { ...all, sendDegraded: false },
    [...failures, "ALERT_RECOVERY", "ALERT_SSL"],
  ],
  ["all but recoveries", { ...all, sendRecovery: false }, [...failures, ...degradations, "ALERT_SSL"]],
  ["all but certificates", { ...all, sslExpiry: false }, [...failures, ...degradations, ...recoveries]],
])("a channel with %s hears of what it wants", (_what, switches, wanted) => {
  expect(everything.filter((alertType) => wantsAlert(switches, { alertType }))).toEqual(wanted);
});

it("nobody hears of what is no alert", () => {
  expect(wantsAlert(all, { alertType: "NO_ALERT" })).toBe(false);
});
