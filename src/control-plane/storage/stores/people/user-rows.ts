import type { Insertable, Selectable } from "kysely";
import type { Tables } from "../../schema.ts";
import type { NewUser, UserRow } from "../../storage.ts";

/** Addresses that mean the same mailbox to all but the oddest servers. */
export function emailKey(email: string): string {
  return email.normalize("NFC").toLowerCase();
}

export function userOf(row: Selectable<Tables["users"]>): UserRow {
  return {
    id: row.id,
    uuid: row.uuid,
    email: row.email,
    name: row.name,
    passwordHash: row.password_hash,
    createdAtMs: row.created_at,
  };
}

export function userValues({ uuid, email, name, passwordHash, createdAtMs }: NewUser): Insertable<Tables["users"]> {
  return { uuid, email, email_key: emailKey(email), name, password_hash: passwordHash, created_at: createdAtMs };
}
