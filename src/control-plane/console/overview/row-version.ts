import { createHash } from "node:crypto";
import type { IndexedCheck } from "../../storage/storage.ts";

const known = new WeakMap<IndexedCheck, string>();

/** What a row of the list shows, in eight characters: another one as soon as the check ran again or was changed. */
export function rowVersion(check: IndexedCheck): string {
  const version = known.get(check) ?? createHash("sha256").update(JSON.stringify(check)).digest("base64url").slice(0, 8);
  known.set(check, version);
  return version;
}
