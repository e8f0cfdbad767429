import type { z } from "zod";
import { answerReference, type applyChanges } from "#contract/changes.ts";
import type { Client } from "#contract/client.ts";
import { ApiError } from "#contract/client-error.ts";
import { ConfigError } from "#daemon/env.ts";
import { type Body, replacedAt } from "#domain/json-paths.ts";
import type { AccountState } from "./account-state.ts";
import type { Kind } from "./kinds.ts";
import { creationOf, type PlannedCall, removalOf, updateOf } from "./objects.ts";
import { ownedType, type PlannedOwnership } from "./ownership.ts";
import type { Step } from "./plan.ts";

interface StepCall {
  readonly step: Step;
  readonly call: PlannedCall;
}

/**
 * Does the steps of a plan in their order, in one transaction of the control plane, as deployments of code are: all of them, or nothing.
 *
 * @throws {ConfigError} naming the object and what the server said of it
 */
export async function applySteps(
  client: Client,
  steps: readonly Step[],
  state: AccountState,
  owner: PlannedOwnership | null = null,
): Promise<void> {
  const { planned, ids } = callsOf(steps, state);
  const ownership = owner && { project: owner.project, resources: owner.owned.flatMap((step) => resourceOf(step, ids)) };
  try {
    const calls = planned.map(({ call }) => call);
    await client.applyChanges({ body: { calls, ...(ownership !== null && { ownership }) } }, { timeoutMs: longestMs });
  } catch (cause) {
    throw explained(planned, cause);
  }
}

/** Thousands of objects take seconds. */
const longestMs = 300_000;

type OwnedResource = NonNullable<z.input<typeof applyChanges.body>["ownership"]>["resources"][number];

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

function explained(planned: readonly StepCall[], cause: unknown): unknown {
  if (!(cause instanceof ApiError)) return cause;
  if (cause.statusCode === 404 || cause.statusCode === 405)
    return new ConfigError("This control plane is older than this program: upgrade it, or apply with the program of its release", {
      cause,
    });
  const { step } = planned[Number(cause.attributes?.["call"])] ?? {};
  if (step === undefined) return cause;
  const { entry, key, action } = step;
  return new ConfigError(
    `Could not ${action} the ${entry.kind.title} "${key}": ${cause.message} (${cause.statusCode}). Nothing was changed; apply the file again when this is put right`,
    { cause },
  );
}
