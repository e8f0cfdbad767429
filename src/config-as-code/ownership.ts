import { OwnedType } from "#contract/changes.ts";
import { type AccountState, isOwnedBy, type StoredEntry } from "./account-state.ts";
import type { WantedFile } from "./file.ts";
import type { Step } from "./plan.ts";

/** What a file's project owns when it is applied, and what is new about that. */
export interface PlannedOwnership {
  readonly project: NonNullable<WantedFile["project"]>;
  readonly owned: readonly Step[];
  /** Objects that it did not own before. */
  readonly taken: number;
  /** Objects that it owned, and that stay. */
  readonly left: number;
}

/** Null where the file names no project. */
export function ownershipOf(
  { project }: Pick<WantedFile, "project">,
  steps: readonly Step[],
  state: AccountState,
): PlannedOwnership | null {
  if (project === null) return null;
  const owned = steps.filter(({ action, entry }) => action !== "remove" && ownedType(entry) !== undefined);
  const handled = new Set(steps.flatMap(({ stored }) => stored ?? []));
  return {
    project,
    owned,
    taken: owned.filter(({ key, stored }) => stored === undefined || isNew(stored, project.logicalId, key)).length,
    left: state.entries.filter((one) => isOwnedBy(one, project.logicalId) && !handled.has(one)).length,
  };
}

/** The name of its kind among those that a project can own. */
export function ownedType({ kind }: Pick<StoredEntry, "kind">): OwnedType | undefined {
  return OwnedType.safeParse(kind.name).data;
}

/** Where nothing tells the owner, nothing is new. */
function isNew({ owner }: StoredEntry, project: string, key: string): boolean {
  return owner !== undefined && (owner?.project !== project || owner.logicalId !== key);
}
