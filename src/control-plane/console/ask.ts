import type { FileOutput, Operation, OutputOf } from "#contract/operation.ts";
import type { Logger } from "#daemon/logger.ts";
import { AppError } from "#domain/app-error.ts";
import { roleAllows } from "#domain/key.ts";
import { auditEntry, isChange } from "../http/audit.ts";
import { refuseLargeBody, restBounds } from "../http/budgets/json-bounds.ts";
import { type CallContext, type Handler, type StreamedFile, WrittenJson } from "../http/handler.ts";
import { changeReader } from "../http/read-changes.ts";
import { parseInput } from "../http/validation.ts";
import type { NewAuditEntry } from "../storage/storage.ts";
import { roleTexts } from "../texts/roles.ts";
import { shellTexts } from "../texts/shell.ts";
import type { Visit } from "./visit.ts";

/** The parts of a request as a REST client would send them; what an operation does not take is left out. */
export interface Given {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/**
 * Asks an operation of the REST contract for the person who visits: under the same bounds, validation, role and audit log as over HTTP, so that a page
 * can do nothing that a client could not.
 *
 * @throws {AppError} as the operation does
 */
export type Ask = <O extends Operation>(visit: Visit, operation: O, given?: Given) => Promise<Asked<O>>;

type Asked<O extends Operation> = O extends { readonly paged: true }
  ? { readonly items: OutputOf<O>; readonly total: number }
  : O extends { readonly file: true }
    ? FileOutput | StreamedFile
    : OutputOf<O>;

export interface AskDeps {
  readonly handlers: readonly Handler[];
  readonly log: Logger;
  readonly audit: (entry: NewAuditEntry) => Promise<void>;
  readonly nowMs: () => number;
}

export function createAsk({ handlers, log, audit, nowMs }: AskDeps): Ask {
  const beforeChange = changeReader(handlers, log);
  const byId = new Map(handlers.map((one) => [one.operation.id, one]));
  return async <O extends Operation>(visit: Visit, operation: O, given: Given = {}) => {
    const found = byId.get(operation.id);
    const { access } = operation;
    if (found === undefined || access === "public" || access === "agent-key" || access === "agent-session") {
      throw new Error(`${operation.id} is no operation of people`);
    }
    if (!roleAllows(visit.role, access)) throw new AppError("forbidden", shellTexts.mayNot(roleTexts[visit.role]));
    const { params = {}, query = {}, body } = given;
    refuseLargeBody(body, restBounds);
    const input = parseInput(operation, { params, query, body });
    const caller = {
      actor: visit.actor,
      role: visit.role,
      account: visit.account,
      accountId: visit.account.id,
      isLimited: false,
      scopes: null,
      method: visit.method,
    };
    // Nobody waits longer than for a page; no answer of these can be taken back.
    const { request } = visit;
    const context: CallContext<"read"> = {
      caller,
      request,
      signal: AbortSignal.timeout(30_000),
      isAlert: false,
      header: () => undefined,
      onUndelivered: () => undefined,
    };
    const afterChange = isChange(operation, caller) ? await beforeChange(operation, params, context) : undefined;
    const answer = await found.handle(input as never, context as never);
    if (afterChange !== undefined) {
      const changes = await afterChange();
      const done = { request: { ...request, params }, given: body, body: input.body, answer, changes, status: operation.successStatus };
      await audit(auditEntry(operation, { caller, ...done, nowMs: nowMs() }));
    }
    return read(answer) as Asked<O>; // what the operation's own code answered
  };
}

/** Lists may come as they were stored. */
function read(answer: unknown): unknown {
  if (answer instanceof WrittenJson) return JSON.parse(Buffer.concat(answer.pieces).toString("utf8"));
  const isPaged = typeof answer === "object" && answer !== null && "items" in answer;
  return isPaged ? { ...answer, items: answer.items instanceof WrittenJson ? read(answer.items) : answer.items } : answer;
}
