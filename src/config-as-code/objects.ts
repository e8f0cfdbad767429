import type { z } from "zod";
import type { applyChanges } from "#contract/changes.ts";
import type { Client } from "#contract/client.ts";
import type { CallParts } from "#contract/client-request.ts";
import { type KindInContract, objectParameter } from "#contract/kinds.ts";
import type { Operation } from "#contract/operation.ts";
import type { Body } from "#domain/json-paths.ts";
import type { Kind } from "./kinds.ts";

type OperationsOf = Pick<Kind, "operations" | "writtenBy" | "readWhole">;

/** All objects of a kind, the oldest first. */
export async function listObjects(client: Client, kind: OperationsOf): Promise<readonly Body[]> {
  const whole: Body[] = [];
  for (const listed of await listedObjects(client, kind)) {
    const reading = kind.readWhole?.(listed);
    whole.push(reading === undefined ? listed : await readWhole(client, reading, listed));
  }
  return whole;
}

async function readWhole(
  client: Client,
  { operation, query }: NonNullable<ReturnType<NonNullable<Kind["readWhole"]>>>,
  { id }: Body,
): Promise<Body> {
  return (await call(client, operation, { ...named(operation, id), query })) as Body;
}

async function listedObjects(client: Client, { operations: { list, find } }: OperationsOf): Promise<readonly Body[]> {
  if (list === undefined) return find === undefined ? [] : [(await call(client, find)) as Body];
  if (list.paged) return allPages((page) => call(client, list, { query: { limit, page } }) as Promise<Paged>);
  if (list.query?.shape["nextId"] === undefined) return (await call(client, list)) as Body[];
  return allEntries((nextId) => call(client, list, { query: { limit, nextId } }) as Promise<Part>);
}

/** A call that is made together with others (`applyChanges`). */
export type PlannedCall = z.input<typeof applyChanges.body>["calls"][number];

/** @param autoAssignAlerts whether it is subscribed to all channels that there are */
export function creationOf(kind: OperationsOf, body: Body, autoAssignAlerts: boolean): PlannedCall {
  const { id, query } = kind.writtenBy?.(body).create ?? needed(kind.operations.create);
  return { operation: id, body, ...(query !== undefined && { query: { autoAssignAlerts: String(autoAssignAlerts) } }) };
}

/** @param of the object's id, or a reference to the call that makes it */
export function updateOf(kind: OperationsOf, of: unknown, body: Body): PlannedCall {
  const update = kind.writtenBy?.(body).update ?? needed(kind.operations.update);
  return { operation: update.id, ...at(update, of), body };
}

export function removalOf({ operations }: OperationsOf, of: unknown): PlannedCall {
  const remove = needed(operations.remove);
  return { operation: remove.id, ...at(remove, of) };
}

function at(operation: Operation, of: unknown): Pick<PlannedCall, "params"> {
  const name = objectParameter(operation);
  return name === undefined ? {} : { params: { [name]: of } };
}

interface Paged {
  readonly items: readonly Body[];
  readonly total: number;
}
interface Part {
  readonly entries: readonly Body[];
  readonly nextId: string | null;
}

const limit = 100;

async function allPages(list: (page: number) => Promise<Paged>): Promise<Body[]> {
  const all: Body[] = [];
  for (let page = 1; ; page += 1) {
    const { items, total } = await list(page);
    all.push(...items);
    if (items.length === 0 || all.length >= total) return all;
  }
}

async function allEntries(list: (nextId: string | undefined) => Promise<Part>): Promise<Body[]> {
  const all: Body[] = [];
  let nextId: string | null | undefined;
  do {
    const part: Part = await list(nextId ?? undefined);
    all.push(...part.entries);
    nextId = part.nextId;
  } while (nextId !== null);
  return all;
}

function named(operation: Operation, id: unknown): CallParts {
  const name = objectParameter(operation);
  return name === undefined ? {} : { params: { [name]: String(id) } };
}

/** A method of the client by its operation. Its input was parsed with the operation's schema, which the compiler cannot follow. */
function call(client: Client, { id }: Operation, parts: CallParts = {}): Promise<unknown> {
  const method = client[id as keyof Client] as (input: CallParts) => Promise<unknown>;
  return method(parts);
}

function needed(operation: KindInContract["operations"][keyof KindInContract["operations"]]): Operation {
  if (operation === undefined) throw new Error("a kind without this operation was to be written");
  return operation;
}
