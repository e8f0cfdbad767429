import type { NewAuditEntry } from "../storage/storage.ts";

/** Something that is no change: a sign-in, a refusal, a new address. `accountId` null: it belongs to no account, and only its line goes out. */
export type NotedEntry = Omit<NewAuditEntry, "accountId"> & { readonly accountId: number | null };
