import { CheckIntent, intentV3Of } from "#contract/checks/intent.ts";
import type { CheckV1, CheckV2, CheckV3 } from "#contract/checks/operations.ts";
import { isPinged } from "#contract/checks/traits.ts";
import { noProjectBindings } from "#contract/project-bindings.ts";
import { secretMask } from "#contract/variables.ts";
import { instant, instantOrNull } from "../kinds/instants.ts";
import { shownDefinition } from "../secrets/definition-secrets.ts";
import { heartbeatOf, openedPingToken } from "../secrets/ping-tokens.ts";
import type { Reveal } from "../secrets/request-secrets.ts";
import type { CheckRow } from "../storage/storage.ts";
import type { ChannelsOfCheck } from "./check-channels.ts";

/**
 * What a user may leave out on creation and still reads. Not `retryStrategy`: null means no retries, left out means that `doubleCheck`
 * decides, and what was read may be sent back.
 */
const absent = { privateLocations: [], triggerIncident: null };

export interface ViewOptions {
  /** What ping URLs begin with, without a slash at its end. */
  readonly pingBase: string;
  readonly channelsOf: (row: CheckRow) => ChannelsOfCheck;
  /** How secrets are read; null: as asterisks. */
  readonly reveal: Reveal;
  /** How the address is read that heartbeats are pinged at; null: as asterisks. Whoever has it can say that a job ran. */
  readonly revealPings: Reveal;
  /** Show the files that a script imports. */
  readonly dependencies?: boolean;
}

/** A check as v1 and every write answer it. */
export function checkViewV1(row: CheckRow, options: ViewOptions): CheckV1 {
  return {
    ...commonView(row, options),
    project: null,
    logicalId: null,
    member: null,
    pending: null,
    projectBindings: noProjectBindings,
  } as unknown as CheckV1;
}

export function checkViewV2(row: CheckRow, options: ViewOptions): CheckV2 {
  return { ...commonView(row, options), projectBindings: noProjectBindings } as unknown as CheckV2;
}

export function checkViewV3(row: CheckRow, options: ViewOptions): CheckV3 {
  const intent = CheckIntent.nullable()
    .catch(null)
    .parse(row.definition["intent"] ?? null);
  return {
    ...commonView(row, options),
    intent: intent === null ? null : intentV3Of(intent),
    projectBindings: noProjectBindings,
  } as unknown as CheckV3;
}

/** The definition was parsed with the check type's own schema when it was written, so each view is what its version says. */
function commonView(row: CheckRow, options: ViewOptions) {
  return {
    ...absent,
    ...shown(row, options),
    checkType: row.type,
    id: row.uuid,
    ...options.channelsOf(row),
    created_at: instant(row.createdAtMs),
    updated_at: instantOrNull(row.updatedAtMs),
  };
}

function shown(row: CheckRow, options: ViewOptions) {
  const { reveal, dependencies: showsDependencies = false } = options;
  const { type, definition, accountId, uuid } = row;
  if (isPinged(type)) return heartbeatView(row, options);
  const { dependencies, ...rest } = shownDefinition(definition, reveal, { kind: "check", accountId, row: uuid });
  return showsDependencies && dependencies !== undefined ? { ...rest, dependencies } : rest;
}

/** The scheduler's fields mean nothing to a heartbeat. */
function heartbeatView({ definition, accountId, uuid }: CheckRow, { pingBase, revealPings }: ViewOptions) {
  const { frequency: _frequency, frequencyOffset: _offset, ...rest } = definition;
  const owner = { kind: "check", accountId, row: uuid };
  const pingToken = revealPings && openedPingToken(definition, { unseal: revealPings }, owner);
  const pingUrl = `${pingBase}/${pingToken ?? secretMask}`;
  return { locations: [], ...rest, heartbeat: { ...heartbeatOf(definition), pingToken, pingUrl } };
}
