import { randomUUID } from "node:crypto";
import { millisecondsOf } from "#contract/checks/heartbeat.ts";
import type { CheckCreate } from "#contract/checks/stored-types.ts";
import type { PreparedCheck } from "./prepare-check.ts";

/** No schedule runs a heartbeat, so its period is 0 for the scheduler. Makes the token that was left out. */
export function prepareHeartbeat(wanted: CheckCreate<"HEARTBEAT">): PreparedCheck {
  const { period, periodUnit, grace, graceUnit } = wanted.heartbeat;
  const pingToken = wanted.heartbeat.pingToken || randomUUID();
  return {
    definition: { ...wanted, frequency: 0, frequencyOffset: 0, heartbeat: { ...wanted.heartbeat, pingToken } },
    locationIds: [],
    schedule: { periodMs: 0, phaseMs: 0, nextDueMs: null },
    heartbeat: { token: pingToken, periodMs: millisecondsOf(period, periodUnit), graceMs: millisecondsOf(grace, graceUnit) },
  };
}
