import { createHmac } from "node:crypto";

/** What a key speaks for (behaviour 1, Keys). `session` is the short-lived token of an agent. */
const prefixes = { user: "cu_", service: "sv_", location: "pl_", session: "as_", dashboard: "da_" } as const;
export type KeyKind = keyof typeof prefixes;

const roles = { OWNER: 5, ADMIN: 4, READ_WRITE: 3, READ_RUN: 2, READ_ONLY: 1 } as const;
export type Role = keyof typeof roles;
/** From the highest to the lowest. */
export const roleNames = Object.keys(roles) as readonly Role[];

/** ADMIN and OWNER differ in one thing: who may make and revoke OWNER keys, see `roleIncludes`. */
const needed = { read: 1, run: 2, write: 3, admin: 4 } as const;
export type RoleAccess = keyof typeof needed;

/** A new raw key: prefix and 32 hexadecimal digits. `randomBytes` is node:crypto's or like it. */
export function newKey(kind: KeyKind, randomBytes: (size: number) => Uint8Array): string {
  return prefixes[kind] + Buffer.from(randomBytes(16)).toString("hex");
}

/** Null when the text has not the form of a key; then no look-up is needed. */
export function keyKind(raw: string): KeyKind | null {
  if (!/^[a-z]{2}_[0-9a-f]{32}$/.test(raw)) return null;
  const kinds = Object.keys(prefixes) as KeyKind[];
  return kinds.find((kind) => raw.startsWith(prefixes[kind])) ?? null;
}

/** How a key is read back: `...` and its last four characters. */
export function maskKey(raw: string): string {
  return `...${raw.slice(-4)}`;
}

/** What is stored of a key: HMAC-SHA256 with the server's pepper, in hexadecimal. Look-ups by it leak no timing of the key. */
export function hashKey(pepper: string | Uint8Array, raw: string): string {
  return createHmac("sha256", pepper).update(raw).digest("hex");
}

/** Roles in one table; an unknown role may do nothing. */
export function roleAllows(role: string, access: RoleAccess): boolean {
  return Object.hasOwn(roles, role) && roles[role as Role] >= needed[access];
}

/** Whether `role` may do all that `other` may: a key gives out and revokes keys of its own role and below. */
export function roleIncludes(role: Role, other: Role): boolean {
  return roles[role] >= roles[other];
}
