import type { z } from "zod";
import { answerReference, type applyChanges, mostOwned } from "#contract/changes.ts";
import type { Client } from "#contract/client.ts";
import { ApiError } from "#contract/client-error.ts";
import { ConfigError } from "#daemon/env.ts";
import { type Body, replacedAt } from "#domain/json-paths.ts";
import type { AccountState } from "./account-state.ts";
import { partsOf, withAnswers } from "./apply-parts.ts";
import type { Kind } from "./kinds.ts";
import { creationOf, type PlannedCall, removalOf, updateOf } from "./objects.ts";
import { ownedType, type PlannedOwnership } from "./ownership.ts";
import type { Step } from "./plan.ts";

interface StepCall {
  readonly step: Step;
  readonly call: PlannedCall;
}

/** Called after each part of changes that are too many for one. */
export type OnPart = (made: number, all: number) => void;

/**
 * Does the steps of a plan in their order, in one transaction of the control plane, as deployments of code are: all of them, or nothing. Very
 * many are made in parts, each of them all or nothing.
 *
 * @throws {ConfigError} naming the object, what the server said of it, and what was changed before
 */
export async function applySteps(
  client: Client,
  steps: readonly Step[],
  state: AccountState,
  { owner = null, onPart = () => undefined }: { readonly owner?: PlannedOwnership | null; readonly onPart?: OnPart } = {},
): Promise<void> {
  const { planned, ids } = callsOf(steps, state);
  const ownership = owner && { project: owner.project, resources: owner.owned.flatMap((step) => resourceOf(step, ids)) };
  const bodies = bodiesOf(planned, ownership);
  const made: (string | number | null)[] = [];
  for (const body of bodies) {
    try {
      made.push(...(await client.applyChanges({ body: withAnswers(made, body) }, { timeoutMs: longestMs })).ids);
    } catch (cause) {
      throw explained(planned, made.length, cause);
    }
    if (bodies.length > 1 && body.calls.length > 0) onPart(made.length, planned.length);
  }
}

/** Thousands of objects take seconds. */
const longestMs = 300_000;

type OwnedResource = NonNullable<z.input<typeof applyChanges.body>["ownership"]>["resources"][number];

type Changes = z.input<typeof applyChanges.body>;

/** @throws {ConfigError} for more than a project owns */
function bodiesOf(planned: readonly StepCall[], ownership: Changes["ownership"] | null): readonly Changes[] {
  const owned = ownership?.resources.length ?? 0;
  if (owned > mostOwned)
    throw new ConfigError(`A project owns at most ${mostOwned} objects, and the file has ${owned}: split it into projects`);
  const parts = partsOf(
    planned.map(({ call }) => call),
    ownership ?? {},
  );
  if (ownership === null) return parts.map((calls) => ({ calls }));
  return parts.length === 1 ? [{ calls: parts[0] ?? [], ownership }] : [...parts.map((calls) => ({ calls })), { calls: [], ownership }];
}

function resourceOf({ entry, key }: Step, ids: ReadonlyMap<string, unknown>): readonly OwnedResource[] {
  const type = ownedType(entry);
  const physicalId = ids.get(`${entry.kind.section}/${key}`) as OwnedResource["physicalId"]; // as its read told it, or a reference
  return type === undefined ? [] : [{ type, logicalId: key, physicalId }];
}

interface Calls {
  readonly planned: readonly StepCall[];
  /** Of objects that there are, and references to calls that make the others. */
  readonly ids: ReadonlyMap<string, unknown>;
}

function callsOf(steps: readonly Step[], state: AccountState): Calls {
  const ids = new Map<string, unknown>(state.entries.map(({ kind, key, id }) => [`${kind.section}/${key}`, id]));
  const calls: StepCall[] = [];
  const outdated: StepCall[] = [];
  for (const step of steps) {
    const { action, entry, key, stored } = step;
    const { kind, given } = entry;
    if (action === "keep") continue;
    if (action === "remove") {
      calls.push({ step, call: removalOf(kind, stored?.id) });
      continue;
    }
    const body = bodyOf(step, ids);
    if (action === "update") {
      calls.push({ step, call: updateOf(kind, stored?.id, body) });
      continue;
    }
    const made = { [answerReference]: calls.length };
    const namesChannels = given.has("alertChannelSubscriptions");
    calls.push({ step, call: creationOf(kind, body, !namesChannels) });
    // Channels that subscribe themselves join every new object, also where the file names none of them.
    if (namesChannels) calls.push({ step, call: updateOf(kind, made, body) });
    ids.set(`${kind.section}/${key}`, made);
    // Those that refer to the old one have to change first.
    if (action === "replace") outdated.push({ step, call: removalOf(kind, stored?.id) });
  }
  return { planned: [...calls, ...outdated.toReversed()], ids };
}

function bodyOf({ entry: { kind, body, given } }: Step, ids: ReadonlyMap<string, unknown>): Body {
  const left = (kind.keptWhenOmitted ?? []).filter((name) => !given.has(name));
  return withIds(kind, Object.fromEntries(Object.entries(body).filter(([name]) => !left.includes(name))), ids);
}

function withIds(kind: Kind, body: Body, ids: ReadonlyMap<string, unknown>): Body {
  return kind.references.reduce<unknown>(
    (value, { path, section }) => replacedAt(value, path, (key) => ids.get(`${section}/${String(key)}`) ?? key),
    body,
  ) as Body;
}

/** @param made how many of the planned calls were made before the one that failed */
function explained(planned: readonly StepCall[], made: number, cause: unknown): unknown {
  if (!(cause instanceof ApiError)) return cause;
  if (cause.statusCode === 404 || cause.statusCode === 405)
    return new ConfigError("This control plane is older than this program: upgrade it, or apply with the program of its release", {
      cause,
    });
  const { step } = planned[made + Number(cause.attributes?.["call"])] ?? {};
  const changed = made === 0 ? "Nothing was changed" : `The first ${made} of ${planned.length} changes were made`;
  if (step === undefined) return made === 0 ? cause : new ConfigError(`${cause.message} (${cause.statusCode}). ${changed}`, { cause });
  const { entry, key, action } = step;
  return new ConfigError(
    `Could not ${action} the ${entry.kind.title} "${key}": ${cause.message} (${cause.statusCode}). ${changed}; apply the file again when this is put right`,
    { cause },
  );
}
