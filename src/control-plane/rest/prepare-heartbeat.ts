import { millisecondsOf } from "#contract/checks/heartbeat.ts";
import type { CheckCreate } from "#contract/checks/stored-types.ts";
import { type PingedType } from "#contract/checks/traits.ts";
import type { Sealing } from "../keys/sealing.ts";
import { createPingTokenHashes, openedPingToken } from "../secrets/ping-tokens.ts";
import type { VariablesOwner } from "../secrets/secret-owner.ts";
import type { PreparedCheck } from "./prepared-check.ts";

export interface PrepareHeartbeatDeps {
  readonly sealing: Pick<Sealing, "unseal">;
  readonly hashOf: (secret: string) => string;
}

/** No schedule runs a heartbeat, so its period is 0 for the scheduler. Its token is sealed, and found by its hash. */
export function prepareHeartbeat(
  { sealing, hashOf }: PrepareHeartbeatDeps,
  wanted: CheckCreate<PingedType>,
  owner: VariablesOwner,
): PreparedCheck {
  const { period, periodUnit, grace, graceUnit } = wanted.heartbeat;
  const token = openedPingToken(wanted, sealing, owner);
  return {
    definition: { ...wanted, frequency: 0, frequencyOffset: 0 },
    locationIds: [],
    schedule: { periodMs: 0, phaseMs: 0, nextDueMs: null },
    heartbeat: {
      token: token === null ? null : createPingTokenHashes(hashOf).of(token),
      periodMs: millisecondsOf(period, periodUnit),
      graceMs: millisecondsOf(grace, graceUnit),
    },
  };
}
