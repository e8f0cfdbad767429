import type { ChangeFact } from "#domain/root-causes/cause-facts.ts";
import type { AuditActor, AuditEntry, AuditStore, CheckRow, LocationStore } from "../storage/storage.ts";

export interface ChangeDeps {
  readonly audit: Pick<AuditStore, "list">;
  readonly locations: Pick<LocationStore, "byUuid">;
}

const entriesAtMost = 500;

/** What the audit log knows of a time that may have changed how a check runs: itself, its group, what its runs share, and deployments. */
export async function readChanges(
  { audit, locations }: ChangeDeps,
  check: CheckRow,
  time: { readonly fromMs: number; readonly toMs: number },
): Promise<readonly ChangeFact[]> {
  const entries = await audit.list(check.accountId, { limit: entriesAtMost, ...time, refused: false });
  const found: ChangeFact[] = [];
  for (const entry of entries) {
    const what = whatOf(entry, check);
    if (what === null || (what === "location" && !(await isOfCheck(locations, check, entry)))) continue;
    const { atMs, fields } = entry;
    found.push({ what, atMs, by: nameOf(entry.actor), fields });
  }
  return found;
}

const shared: readonly (readonly [RegExp, ChangeFact["what"]])[] = [
  [/^(?:create|update|delete)Variable$/, "variable"],
  [/^(?:update|delete)Snippet$/, "snippet"],
  [/^(?:create|delete)ClientCertificate$/, "certificate"],
  [/^updatePrivateLocation$/, "location"],
  [/^deployProject$/, "deployment"],
];

function whatOf({ operation, resourceId, fields }: AuditEntry, { uuid, groupId }: CheckRow): ChangeFact["what"] | null {
  const isUpdate = operation.startsWith("update");
  if (isUpdate && resourceId === uuid) return onlySwitches(fields) ? null : "check";
  if (isUpdate && operation.startsWith("updateCheckGroup")) return groupId !== null && resourceId === String(groupId) ? "group" : null;
  return shared.find(([form]) => form.test(operation))?.[1] ?? null;
}

/** Whoever mutes a check, or takes it out of the schedule, changes nothing of what it sees. */
function onlySwitches(fields: readonly string[]): boolean {
  return fields.length > 0 && fields.every((field) => /^(?:muted|activated|name|tags|alert\w*|description)$/.test(field));
}

async function isOfCheck(locations: ChangeDeps["locations"], check: CheckRow, { resourceId }: AuditEntry): Promise<boolean> {
  const location = resourceId === null ? undefined : await locations.byUuid(check.accountId, resourceId);
  return location !== undefined && check.locationIds.includes(location.id);
}

function nameOf(actor: AuditActor | null): string {
  if (actor === null) return "The command line";
  return "userName" in actor ? actor.userName : `API key ${actor.maskedKey}`;
}
