import type { Client } from "#contract/client.ts";
import { type Entry, entryOfObject } from "./entry.ts";
import { freeKey } from "./keyed-entries.ts";
import { type Kind, kinds } from "./kinds.ts";
import { listObjects } from "./objects.ts";

/** An object of the account with what a file would call it. */
export interface StoredEntry extends Entry {
  readonly key: string;
  readonly id: unknown;
}

/** Everything that a file can hold of an account, as it is now. */
export interface AccountState {
  readonly entries: readonly StoredEntry[];
  find(section: string, key: string): StoredEntry | undefined;
}

/** Reads the account over REST. @param onKind called before each kind is read, for showing progress */
export async function readAccount(client: Client, onKind: (kind: Kind) => void = () => undefined): Promise<AccountState> {
  const keys = new Map<string, string>();
  const byKey = new Map<string, StoredEntry>();
  for (const kind of kinds) {
    onKind(kind);
    for (const object of await listObjects(client, kind)) {
      const entry = entryOfObject(kind, object, (section, id) => keys.get(place(section, id)));
      const taken = { has: (key: string) => byKey.has(place(kind.section, key)) };
      const key = freeKey(kind.keyOf(entry.body), taken);
      const id = object[kind.idField];
      keys.set(place(kind.section, id), key);
      byKey.set(place(kind.section, key), { ...entry, key, id });
    }
  }
  return { entries: [...byKey.values()], find: (section, key) => byKey.get(place(section, key)) };
}

const place = (section: string, id: unknown): string => `${section}/${String(id)}`;
