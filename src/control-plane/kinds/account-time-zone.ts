import { timeZoneNamed } from "#domain/time-range.ts";
import type { AccountRow } from "../storage/storage.ts";

/** The IANA time zone of the account's settings; UTC where it has none, or one that this program does not know. */
export function accountTimeZone({ settings }: Pick<AccountRow, "settings">): string {
  const name = settings["timeZone"];
  return (typeof name === "string" ? timeZoneNamed(name) : null) ?? "UTC";
}
