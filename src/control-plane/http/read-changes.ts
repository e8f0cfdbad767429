import type { Operation } from "#contract/operation.ts";
import type { Logger } from "#daemon/logger.ts";
import { hasCode } from "#domain/app-error.ts";
import type { FieldChange } from "../storage/storage.ts";
import { fieldChanges } from "./field-changes.ts";
import { type Handler, WrittenJson } from "./handler.ts";
import { parseInput } from "./validation.ts";

/** What a change made of an object; called once it is done. Never fails, for the change stands: what cannot be read is logged, and the entry has no values. */
export type AfterChange = () => Promise<readonly FieldChange[]>;

/** Looks at what an operation is about to change. @param context of the call, with its caller */
export type BeforeChange = (operation: Operation, params: unknown, context: object) => Promise<AfterChange>;

const nothing: AfterChange = async () => [];

/**
 * Before and after are what the object's own GET answers the same caller, so that neither is read in a form of its own. Somebody else's change between both
 * counts as part of this one.
 */
export function changeReader(handlers: readonly Handler[], log: Logger): BeforeChange {
  const readers = new Map<string, Handler>(handlers.flatMap((one) => (isRead(one.operation) ? [[one.operation.path, one] as const] : [])));
  const readerOf = ({ method, path }: Operation): Handler | undefined => {
    if (method === "GET" || method === "POST") return undefined;
    return readers.get(path) ?? readers.get(path.replace(/^\/v\d(\/checks)\/[\w-]+\//, "/v1$1/").replace(/^\/v\d\//, "/v1/"));
  };
  return async (operation, params, context) => {
    const reader = readerOf(operation);
    if (reader === undefined) return nothing;
    const before = await read(reader, params, context);
    if (before === undefined) return nothing;
    return async () => {
      try {
        return fieldChanges(before, operation.method === "DELETE" ? undefined : await read(reader, params, context));
      } catch (error) {
        log.warn(
          { err: error, operation: operation.id },
          "the audit log has no values of this change: what it changed could not be read after it",
        );
        return [];
      }
    };
  };
}

function isRead({ method, access, file, events, text, paged }: Operation): boolean {
  return method === "GET" && access === "read" && file !== true && events !== true && text === undefined && paged !== true;
}

/** @returns undefined: it is not there */
async function read({ operation, handle }: Handler, params: unknown, context: object): Promise<unknown> {
  try {
    const texts = Object.entries(params ?? {}).map(([name, value]) => [name, String(value)]);
    const input = parseInput(operation, { params: Object.fromEntries(texts), query: {}, body: undefined });
    const answer = await handle(input as never, context as never);
    return answer instanceof WrittenJson ? JSON.parse(Buffer.concat(answer.pieces).toString("utf8")) : answer;
  } catch (error) {
    if (hasCode(error, "not_found") || hasCode(error, "invalid_input")) return undefined;
    throw error;
  }
}
