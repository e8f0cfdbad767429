import type { Client } from "#contract/client.ts";
import { operations } from "#contract/operations.ts";
import type { Ask, Given } from "../ask.ts";
import type { Visit } from "../visit.ts";

/** A client of the REST API that asks in the process, for the person who visits. */
export function ownClient(ask: Ask, visit: Visit): Client {
  const methods = operations.map((operation) => [operation.id, (given: Given = {}) => ask(visit, operation, given)]);
  // What a method takes and answers follows from its operation, which the loop cannot tell the compiler.
  return Object.fromEntries(methods) as Client;
}
