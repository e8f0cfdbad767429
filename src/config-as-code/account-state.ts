import type { Client } from "#contract/client.ts";
import { ProjectBindings } from "#contract/project-bindings.ts";
import type { Body } from "#domain/json-paths.ts";
import { type Entry, entryOfObject } from "./entry.ts";
import { freeKey } from "./keyed-entries.ts";
import { type Kind, kinds } from "./kinds.ts";
import { listObjects } from "./objects.ts";

/** An object of the account with what a file would call it. */
export interface StoredEntry extends Entry {
  readonly key: string;
  readonly id: unknown;
  /** What owns it, where its reads tell that. */
  readonly owner?: Owner | null;
}

interface Owner {
  readonly project: string;
  /** Its name in the project. */
  readonly logicalId: string;
}

/** Everything that a file can hold of an account, as it is now. */
export interface AccountState {
  readonly entries: readonly StoredEntry[];
  find(section: string, key: string): StoredEntry | undefined;
}

/** What is read of an account that another product keeps. */
export interface Reading {
  readonly kinds: readonly Kind[];
  /** Told what cannot be read, or be told in a file; the rest goes on. */
  readonly onProblem: (kind: Kind, error: unknown) => void;
}

export function isOwnedBy({ owner }: StoredEntry, project: string): boolean {
  return owner?.project === project;
}

/** Those whose reads tell no owner have none here. */
function ownerIn({ projectBindings: given }: Body): Pick<StoredEntry, "owner"> {
  const bindings = ProjectBindings.safeParse(given);
  if (!bindings.success) return {};
  const { owner } = bindings.data;
  return { owner: owner && { project: owner.project.logicalId, logicalId: owner.binding.logicalId } };
}

/** Of one's own account: all of it, or nothing. */
const whole: Reading = {
  kinds,
  onProblem(_kind, error) {
    throw error;
  },
};

/** Reads the account over REST. */
export async function readAccount(client: Client, { kinds: wanted, onProblem }: Reading = whole): Promise<AccountState> {
  const keys = new Map<string, string>();
  const byKey = new Map<string, StoredEntry>();
  for (const kind of wanted) {
    for (const object of await attempted(
      () => listObjects(client, kind),
      [],
      (error) => onProblem(kind, error),
    )) {
      const entry = await attempted(
        async () => entryOfObject(kind, object, (section, id) => keys.get(place(section, id))),
        undefined,
        (error) => onProblem(kind, error),
      );
      if (entry === undefined) continue;
      const taken = { has: (key: string) => byKey.has(place(kind.section, key)) };
      const key = freeKey(kind.keyOf(entry.body), taken);
      const id = object[kind.idField];
      keys.set(place(kind.section, id), key);
      byKey.set(place(kind.section, key), { ...entry, key, id, ...ownerIn(object) });
    }
  }
  return { entries: [...byKey.values()], find: (section, key) => byKey.get(place(section, key)) };
}

async function attempted<T>(work: () => Promise<T>, otherwise: T, onProblem: (error: unknown) => void): Promise<T> {
  try {
    return await work();
  } catch (error) {
    onProblem(error);
    return otherwise;
  }
}

const place = (section: string, id: unknown): string => `${section}/${String(id)}`;
