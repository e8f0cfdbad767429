import type { Check } from "#contract/checks/index.ts";
import { CheckIntent, intentV3Of } from "#contract/checks/intent.ts";
import type { CheckV1, CheckV2, CheckV3 } from "#contract/checks/operations.ts";
import { noProjectBindings } from "#contract/project-bindings.ts";
import { instant, instantOrNull } from "../instants.ts";
import type { CheckRow } from "../storage/storage.ts";

/** What a user may leave out on creation and still reads. */
const absent = { privateLocations: [], alertChannelSubscriptions: [], triggerIncident: null, retryStrategy: null };
const noAlertChannels = { email: [], webhook: [], slack: [], sms: [] };

/** A check as creation and update answer it. */
export function checkView(row: CheckRow): Check {
  // The definition was parsed with the check type's own schema when it was written.
  return {
    ...absent,
    ...row.definition,
    checkType: row.type,
    id: row.uuid,
    alertChannels: noAlertChannels,
    created_at: instant(row.createdAtMs),
    updated_at: instantOrNull(row.updatedAtMs),
  } as unknown as Check;
}

export function checkViewV1(row: CheckRow): CheckV1 {
  return { ...checkView(row), project: null, logicalId: null, member: null, pending: null, projectBindings: noProjectBindings };
}

export function checkViewV2(row: CheckRow): CheckV2 {
  return { ...checkView(row), projectBindings: noProjectBindings };
}

export function checkViewV3(row: CheckRow): CheckV3 {
  const intent = CheckIntent.nullable()
    .catch(null)
    .parse(row.definition["intent"] ?? null);
  return { ...checkView(row), intent: intent === null ? null : intentV3Of(intent), projectBindings: noProjectBindings };
}
