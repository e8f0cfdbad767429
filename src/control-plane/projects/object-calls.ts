import { scopeOf, scopesAllow } from "#contract/key-scopes.ts";
import type { Operation } from "#contract/operation.ts";
import { AppError } from "#domain/app-error.ts";
import { type RoleAccess, roleAllows } from "#domain/key.ts";
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

/** Each call is held to the caller's own rights. @throws {AppError} as the operations do; forbidden where the caller may not call one alone */
export function objectCalls(
  handlers: readonly Handler[],
  caller: AccountCaller,
  { signal, request }: Pick<CallContext, "signal" | "request">,
): CallOperation {
  const byId = new Map(handlers.map((one) => [one.operation.id, one]));
  const context = { caller, signal, request, isAlert: false, isTogether: true, onUndelivered: () => undefined } as const;
  return async (operation, { params = {}, query = {}, body }) => {
    const found = byId.get(operation.id);
    if (found === undefined) throw new Error(`no handler of ${operation.id}`);
    refuseMore(operation, caller);
    const input = parseInput(operation, { params, query, body });
    return ((await found.handle(input as never, context as never)) ?? {}) as Answered;
  };
}

/** Each of them asks for an account. @throws {AppError} forbidden */
function refuseMore(operation: Operation, { role, scopes }: AccountCaller): void {
  if (!roleAllows(role, operation.access as RoleAccess)) throw new AppError("forbidden", `The role ${role} may not call ${operation.id}`);
  const needed = scopeOf(operation);
  if (!scopesAllow(scopes, needed)) throw new AppError("forbidden", `The key lacks the scope ${needed.resource}:${needed.action}`);
}
