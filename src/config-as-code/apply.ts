import type { Client } from "#contract/client.ts";
import { ApiError } from "#contract/client-error.ts";
import { ConfigError } from "#daemon/env.ts";
import { type Body, replacedAt } from "#domain/json-paths.ts";
import type { AccountState } from "./account-state.ts";
import type { Entry } from "./entry.ts";
import type { Kind } from "./kinds.ts";
import { createObject, removeObject, updateObject } from "./objects.ts";
import type { Step } from "./plan.ts";

/**
 * Does the steps of a plan, one after the other, so that objects have the order of the file. Stops at the first that fails; what was done
 * stays, and applying the file again does the rest.
 *
 * @throws {ConfigError} naming the object and what the server said of it
 */
export async function applySteps(
  client: Client,
  steps: readonly Step[],
  state: AccountState,
  onStep: (step: Step) => void = () => undefined,
): Promise<void> {
  const ids = new Map<string, unknown>(state.entries.map(({ kind, key, id }) => [`${kind.section}/${key}`, id]));
  const outdated: { readonly kind: Kind; readonly id: unknown }[] = [];
  for (const step of steps) {
    if (step.action === "keep") continue;
    onStep(step);
    await explained(step, () => applyStep(client, step, ids, outdated));
  }
  for (const { kind, id } of outdated.toReversed()) await removeObject(client, kind, id);
}

async function applyStep(
  client: Client,
  { action, entry, key, stored }: Step,
  ids: Map<string, unknown>,
  outdated: { kind: Kind; id: unknown }[],
): Promise<void> {
  const { kind } = entry;
  if (action === "remove") return removeObject(client, kind, stored?.id);
  const left = (kind.keptWhenOmitted ?? []).filter((name) => !entry.given.has(name));
  const body = withIds(kind, Object.fromEntries(Object.entries(entry.body).filter(([name]) => !left.includes(name))), ids);
  if (action === "update") return updateObject(client, kind, stored?.id, body);
  ids.set(`${kind.section}/${key}`, await made(client, entry, body));
  // Those that refer to the old one have to change first.
  if (action === "replace") outdated.push({ kind, id: stored?.id });
}

/** @returns the new object's id */
async function made(client: Client, { kind, given }: Entry, body: Body): Promise<unknown> {
  const namesChannels = given.has("alertChannelSubscriptions");
  const answer = await createObject(client, kind, body, { autoAssignAlerts: !namesChannels });
  const id = answer[kind.idField];
  // Channels that subscribe themselves join every new object, also where the file names none of them.
  if (namesChannels && !sameSubscriptions(answer, body)) await updateObject(client, kind, id, body);
  return id;
}

function sameSubscriptions({ alertChannelSubscriptions: there }: Body, { alertChannelSubscriptions: wanted }: Body): boolean {
  return !Array.isArray(there) || (Array.isArray(wanted) && there.length === wanted.length);
}

function withIds(kind: Kind, body: Body, ids: ReadonlyMap<string, unknown>): Body {
  return kind.references.reduce<unknown>(
    (value, { path, section }) => replacedAt(value, path, (key) => ids.get(`${section}/${String(key)}`) ?? key),
    body,
  ) as Body;
}

async function explained(step: Step, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause;
    const { entry, key, action } = step;
    throw new ConfigError(
      `Could not ${action} the ${entry.kind.title} "${key}": ${cause.message} (${cause.statusCode}). What was done before stays; apply the file again when this is put right`,
      { cause },
    );
  }
}
