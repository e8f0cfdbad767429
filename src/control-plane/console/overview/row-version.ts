import { createHash } from "node:crypto";
import type { IndexedCheck } from "../../storage/storage.ts";

const known = new WeakMap<IndexedCheck, string>();

/** What a row of the list shows, in eight characters: another one as soon as the check ran again or was changed. */
export function rowVersion(check: IndexedCheck): string {
  const version = known.get(check) ?? versionOf(check);
  known.set(check, version);
  return version;
}

function versionOf({ uuid, type, name, activated, muted, mutedUntilMs, tags, groupName, ofGroup, latest, totals }: IndexedCheck): string {
  const shown = JSON.stringify([uuid, type, name, activated, muted, mutedUntilMs, tags, groupName, ofGroup, latest, totals]);
  return createHash("sha256").update(shown).digest("base64url").slice(0, 8);
}
