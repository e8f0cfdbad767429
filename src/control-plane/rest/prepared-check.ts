import type { CheckDefinition, CheckSchedule, HeartbeatSettings } from "../storage/storage.ts";

export interface PreparedCheck {
  readonly definition: CheckDefinition;
  readonly locationIds: readonly number[];
  readonly schedule: CheckSchedule;
  /** Of a heartbeat. */
  readonly heartbeat?: HeartbeatSettings;
}
