import { createHash } from "node:crypto";
import type { CheckNotice } from "#domain/check-notices.ts";
import type { IndexedCheck } from "../../storage/storage.ts";

const known = new WeakMap<IndexedCheck, string>();

/** What a row of the list shows, in eight characters: another one as soon as the check ran again or was changed. */
export function rowVersion(check: IndexedCheck): string {
  const version = known.get(check) ?? versionOf(check);
  known.set(check, version);
  return version;
}

/** With what is told beside its runs, which may change while it does not run. */
export function shownVersion(check: IndexedCheck, notices: readonly CheckNotice[]): string {
  return notices.length === 0 ? rowVersion(check) : rowVersion(check) + hashOf(JSON.stringify(notices)).slice(0, 4);
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

function versionOf({ uuid, type, name, activated, muted, mutedUntilMs, tags, groupName, ofGroup, latest, totals }: IndexedCheck): string {
  const shown = JSON.stringify([uuid, type, name, activated, muted, mutedUntilMs, tags, groupName, ofGroup, latest, totals]);
  return hashOf(shown).slice(0, 8);
}
