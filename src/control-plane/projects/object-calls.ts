import type { Operation } from "#contract/operation.ts";
import type { AccountCaller, CallContext, Handler } from "../http/handler.ts";
import { parseInput } from "../http/validation.ts";

/** What an operation is called with, as it would come over HTTP. */
export interface Given {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** What an object answers, whatever its kind. */
export type Answered = Readonly<Record<string, unknown>>;

/** Calls operations of the REST API in the process, so that what code writes is held to the same rules as what anybody else does. */
export type CallOperation = (operation: Operation, given: Given) => Promise<Answered>;

/** @throws {AppError} as the operations do */
export function objectCalls(
  handlers: readonly Handler[],
  caller: AccountCaller,
  { signal, request }: Pick<CallContext, "signal" | "request">,
): CallOperation {
  const byId = new Map(handlers.map((one) => [one.operation.id, one]));
  const context = { caller, signal, request, isAlert: false, onUndelivered: () => undefined };
  return async (operation, { params = {}, query = {}, body }) => {
    const found = byId.get(operation.id);
    if (found === undefined) throw new Error(`no handler of ${operation.id}`);
    const input = parseInput(operation, { params, query, body });
    return ((await found.handle(input as never, context as never)) ?? {}) as Answered;
  };
}
