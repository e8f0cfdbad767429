import { secretMask } from "#contract/variables.ts";
import { type Body, foundAt, isBody } from "#domain/json-paths.ts";
import { type AccountState, isOwnedBy, type StoredEntry } from "./account-state.ts";
import { type Entry, sameJson } from "./entry.ts";
import type { WantedFile } from "./file.ts";
import { kinds } from "./kinds.ts";

/** A field that changes; undefined is not there. */
export interface Change {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface Step {
  readonly action: "create" | "update" | "replace" | "remove" | "keep";
  readonly key: string;
  /** What is wanted; of a removal: what is there. */
  readonly entry: Entry;
  /** What is there; undefined for a creation. */
  readonly stored: StoredEntry | undefined;
  readonly changes: readonly Change[];
}

/** What has to be done to make the account what the file says, in the order in which it can be done. */
export function planOf(wanted: WantedFile, state: AccountState, prune: boolean): readonly Step[] {
  const steps: Step[] = [];
  const replaced = new Set<string>();
  for (const kind of kinds) {
    for (const [key, entry] of wanted.entries.get(kind.section) ?? []) {
      const step = stepOf(key, entry, state.find(kind.section, key), replaced);
      if (step.action === "replace") replaced.add(`${kind.section}/${key}`);
      steps.push(step);
    }
  }
  return prune ? [...steps, ...removals(wanted, state)] : steps;
}

function stepOf(key: string, entry: Entry, stored: StoredEntry | undefined, replaced: ReadonlySet<string>): Step {
  if (stored === undefined) return { action: "create", key, entry, stored, changes: [] };
  const { kind } = entry;
  const changes = [...changesBetween(stored.body, comparable(entry)), ...renewedReferences(entry, replaced)];
  const replaces =
    kind.operations.update === undefined ||
    stored.body["checkType"] !== entry.body["checkType"] ||
    stored.body["type"] !== entry.body["type"];
  const action = changes.length === 0 ? "keep" : replaces ? "replace" : "update";
  return { action, key, entry, stored, changes };
}

/** What the entry says of the object: fields that it leaves alone, and secrets of which nothing is known, are no change. */
function comparable({ kind, body, given }: Entry): Body {
  const ignored = [...(kind.keptWhenOmitted ?? []).filter((name) => !given.has(name)), ...(kind.notCompared ?? [])];
  // Everything in an account's section is an update of its own.
  return Object.fromEntries(Object.entries(body).filter(([name]) => !ignored.includes(name)));
}

/** An object that is made anew gets another id, which those that refer to it have to learn. */
function renewedReferences({ kind, body }: Entry, replaced: ReadonlySet<string>): readonly Change[] {
  return kind.references.flatMap(({ path, section }) =>
    foundAt(body, path)
      .filter((key) => replaced.has(`${section}/${String(key)}`))
      .map((key) => ({ path, before: key, after: key })),
  );
}

/** Fields of `after` that differ in `before`; what only `before` has is none of the file's business. */
export function changesBetween(before: unknown, after: unknown, path = ""): readonly Change[] {
  if (sameJson(before, after)) return [];
  if (isBody(before) && isBody(after)) {
    return Object.entries(after).flatMap(([name, value]) => changesBetween(before[name], value, path === "" ? name : `${path}.${name}`));
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return after.flatMap((value, index) => changesBetween(before[index], value, `${path}[${index}]`));
  }
  if (before === undefined && after === null) return [];
  return [{ path, before, after }];
}

/** Last first: what refers to others goes before them. */
function removals(wanted: WantedFile, state: AccountState): readonly Step[] {
  const { project, sections } = wanted;
  // What others own, or nobody, is no business of a file with a project.
  const isTheFiles = (one: StoredEntry): boolean => (project === null ? sections.has(one.kind.section) : isOwnedBy(one, project.logicalId));
  return state.entries
    .filter((one) => one.kind.operations.remove !== undefined && isTheFiles(one))
    .filter(({ kind, key }) => wanted.entries.get(kind.section)?.has(key) !== true)
    .toReversed()
    .map((stored) => ({ action: "remove", key: stored.key, entry: stored, stored, changes: [] }));
}

/** Secrets that the environment does not have, of new objects and of fields that would be overwritten with asterisks. */
export function missingSecrets(steps: readonly Step[]): readonly string[] {
  const masks = ({ changes }: Step): boolean => changes.some(({ after }) => JSON.stringify(after)?.includes(JSON.stringify(secretMask)));
  const needed = steps.filter((step) => step.action === "create" || step.action === "replace" || masks(step));
  return [...new Set(needed.flatMap(({ entry }) => entry.missing))];
}
