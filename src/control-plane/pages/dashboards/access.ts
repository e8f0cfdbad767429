import { timingSafeEqual } from "node:crypto";
import type { DashboardDefinition } from "../../kinds/dashboard.ts";
import type { DocumentRow } from "../../storage/storage.ts";

export type DashboardRow = DocumentRow<DashboardDefinition>;
type HashOf = (secret: string) => string;

const cookieSeconds = 30 * 24 * 3_600;

/** Whether somebody with these cookies sees the dashboard. */
export function maySee(row: DashboardRow, cookies: ReadonlyMap<string, string>, hashOf: HashOf): boolean {
  const { settings, keys } = row.definition;
  if (!settings.isPrivate) return true;
  const given = cookies.get(cookieName(row)) ?? "";
  return keys.filter((key) => isSame(given, tokenOf(row, key.hash, hashOf))).length > 0;
}

/**
 * The cookie that takes the place of a key. It holds no key, and ends with the key that it was given for.
 *
 * @param row undefined where there is no dashboard; that takes as long
 * @returns undefined for a key that opens nothing
 */
export function cookieFor(row: DashboardRow | undefined, rawKey: string, isSecure: boolean, hashOf: HashOf): string | undefined {
  const hash = hashOf(rawKey);
  const [key] = (row?.definition.keys ?? [noKey]).filter((one) => isSame(hash, one.hash));
  if (row === undefined || key === undefined) return undefined;
  const token = tokenOf(row, key.hash, hashOf);
  return `${cookieName(row)}=${token}; Path=/; Max-Age=${cookieSeconds}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
}

const noKey = { hash: "0".repeat(64) };

function cookieName({ name, id }: DashboardRow): string {
  return `outpost-dashboard-${name ?? id}`;
}

function tokenOf({ uuid }: DashboardRow, keyHash: string, hashOf: HashOf): string {
  return hashOf(`dashboard cookie ${uuid} ${keyHash}`);
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
