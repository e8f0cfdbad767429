import type { KeyKind, Role } from "./configuration-stores.ts";

/** Who did it, or whom somebody claimed to be, as it was then: it may be gone since. */
export type AuditActor = KeyActor | UserActor;

export interface KeyActor {
  readonly keyId: string;
  readonly maskedKey: string;
  readonly kind: KeyKind;
  readonly role: Role;
}

/** Somebody who was signed in to the console. */
export interface UserActor {
  readonly userId: string;
  /** The e-mail address. */
  readonly userName: string;
  readonly role: Role;
}

/** The request that made a change. */
export interface AuditRequest {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly requestId: string;
  readonly remoteAddress: string;
}

/** What a change made of one field, in words that anybody who reads the log may read. */
export interface FieldChange {
  /** Its path in the object, such as `request.url`. */
  readonly field: string;
  /** Null: there was none, or it is hidden. */
  readonly before: string | null;
  readonly after: string | null;
  /** It is or may be a secret: only that it changed is known. */
  readonly isHidden: boolean;
}

/** One change, sign-in or refusal. Without actor and request it was made on the command line. */
export interface NewAuditEntry {
  readonly accountId: number;
  readonly atMs: number;
  readonly operation: string;
  readonly resourceId: string | null;
  /** Names of the fields that were given, never values. */
  readonly fields: readonly string[];
  /** Absent: nothing is known of values, as of what older versions wrote. */
  readonly changes?: readonly FieldChange[];
  readonly actor: AuditActor | null;
  readonly request: AuditRequest | null;
}

export interface AuditEntry extends NewAuditEntry {
  readonly id: number;
}

export interface AuditFilter {
  readonly limit: number;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  /** Any of them. */
  readonly operations?: readonly string[] | undefined;
  /** Only what was refused, or only what was not. */
  readonly refused?: boolean | undefined;
  readonly keyId?: string | undefined;
  readonly userId?: string | undefined;
  readonly resourceId?: string | undefined;
  /** Only what is older than this entry. */
  readonly before?: { readonly atMs: number; readonly id: number } | undefined;
}

/** Who changed what; kept for a year by default. */
export interface AuditStore {
  append(entry: NewAuditEntry): Promise<void>;
  /** Newest first. */
  list(accountId: number, filter: AuditFilter): Promise<readonly AuditEntry[]>;
  /** Removes up to `limit` of the oldest entries from before. @returns how many there were */
  prune(olderThanMs: number, limit: number): Promise<number>;
}

/** Something that is no change: a sign-in, a refusal, a new address. `accountId` null: it belongs to no account, and only its line goes out. */
export type NotedEntry = Omit<NewAuditEntry, "accountId"> & { readonly accountId: number | null };
