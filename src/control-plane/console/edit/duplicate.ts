import { getCheckV1 } from "#contract/checks/operations.ts";
import type { Sealing } from "../../keys/sealing.ts";
import { withSecretsOf } from "../../secrets/copied-secrets.ts";
import type { CheckStore } from "../../storage/storage.ts";
import { checkFormTexts as texts } from "../../texts/check-form.ts";
import type { Ask } from "../ask.ts";
import type { CheckRead } from "../check-types/check-type.ts";
import type { Visit } from "../visit.ts";

export interface DuplicateDeps {
  readonly checks: Pick<CheckStore, "byUuid">;
  readonly sealing: Pick<Sealing, "unseal">;
}

/** What a form of a new check was filled from. */
export interface Original {
  readonly check: CheckRead;
  /** As the body of a creation, its secrets as asterisks. */
  readonly copy: Readonly<Record<string, unknown>>;
}

const longestName = 255;
/** What belongs to the one check. A new one gets a slot and an address of its own. */
const itsOwn: ReadonlySet<string> = new Set([
  "id",
  "name",
  "created_at",
  "updated_at",
  "checkType",
  "frequencyOffset",
  "heartbeat",
  "alertChannels",
  "alertChannelSubscriptions",
  "project",
  "logicalId",
  "member",
  "pending",
  "projectBindings",
]);

/** Null where the address, or the form, names none. @throws {AppError} not_found */
export async function originalOf(ask: Ask, visit: Visit, id: string | null): Promise<Original | null> {
  if (id === null) return null;
  const check = await ask(visit, getCheckV1, { params: { id } });
  const kept = Object.entries(check).filter(([name, value]) => !itsOwn.has(name) && value !== undefined);
  return { check, copy: Object.fromEntries(kept) };
}

/** What the form of a copy begins with. */
export function copyBody({ check, copy }: Original): Readonly<Record<string, unknown>> {
  const { heartbeat, frequency, frequencyOffset } = check as Readonly<Record<string, unknown>>;
  return {
    ...copy,
    name: texts.copyName(check.name).slice(0, longestName),
    ...(heartbeat !== undefined && { heartbeat }),
    ...(frequency === 0 && { frequencyOffset }),
    alertChannelSubscriptions: check.alertChannelSubscriptions,
  };
}

/** The body with the original's secrets, for the operation alone: no page shows it. */
export async function withOriginalSecrets(
  { checks, sealing }: DuplicateDeps,
  visit: Visit,
  original: Original | null,
  body: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const row = original === null ? undefined : await checks.byUuid(visit.account.id, original.check.id);
  return row === undefined ? body : withSecretsOf(body, row, sealing);
}
