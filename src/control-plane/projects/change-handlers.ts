import { answerReference, applyChanges, type Change } from "#contract/changes.ts";
import type { Operation } from "#contract/operation.ts";
import type { Logger } from "#daemon/logger.ts";
import { AppError } from "#domain/app-error.ts";
import { invalidInput } from "#domain/invalid-input.ts";
import { auditEntry } from "../http/audit.ts";
import { type CallContext, type Handler, handler } from "../http/handler.ts";
import { type BeforeChange, changeReader } from "../http/read-changes.ts";
import type { NewAuditEntry, Storage } from "../storage/storage.ts";
import { type Answered, type CallOperation, objectCalls } from "./object-calls.ts";
import { ownResources } from "./own-resources.ts";
import { writingOperations } from "./writing-operations.ts";

export interface ChangeHandlerDeps extends Pick<Storage, "together" | "projects"> {
  /** Those of the objects. */
  readonly handlers: readonly Handler[];
  readonly log: Logger;
  readonly audit: (entry: NewAuditEntry) => Promise<void>;
  readonly nowMs: () => number;
}

type Id = string | number | null;

/** Several operations as one transaction: what `outpost apply` does. */
export function changeHandlers(deps: ChangeHandlerDeps): readonly Handler[] {
  const beforeChange = changeReader(deps.handlers, deps.log);
  return [
    handler(applyChanges, async ({ body: { calls, ownership } }, context) => {
      const asked = calls.map((change, index) => ({ change, ...writingOperation(change, index) }));
      return deps.together(async () => {
        const ids: Id[] = [];
        const call = objectCalls(deps.handlers, context.caller, context);
        for (const [index, { change, operation, idField }] of asked.entries()) {
          context.signal.throwIfAborted();
          const answer = await naming(index, change, () =>
            made({ ...deps, call, beforeChange }, operation, resolved(change, ids), context),
          );
          const id = answer[idField];
          ids.push(typeof id === "string" || typeof id === "number" ? id : null);
        }
        if (ownership !== undefined) await ownResources(deps, context.caller.account.id, ownership, ids);
        return { ids };
      });
    }),
  ];
}

/** @throws {AppError} invalid_input for any other operation */
function writingOperation({ operation: id }: Change, index: number) {
  const found = writingOperations.get(id);
  if (found === undefined) {
    const message = `is no operation that writes configuration; received ${JSON.stringify(id)}`;
    throw invalidInput([{ path: `calls[${index}].operation`, message }]);
  }
  return found;
}

interface MakeDeps extends Pick<ChangeHandlerDeps, "audit" | "nowMs"> {
  readonly call: CallOperation;
  readonly beforeChange: BeforeChange;
}

async function made(
  { audit, nowMs, call, beforeChange }: MakeDeps,
  operation: Operation,
  { params, query, body }: Resolved,
  context: CallContext<"write">,
): Promise<Answered> {
  const { caller, request } = context;
  const afterChange = await beforeChange(operation, params, { ...context, isTogether: true });
  const answer = await call(operation, { params, query, body });
  const { successStatus: status } = operation;
  const changes = await afterChange();
  const done = { request: { ...request, params }, given: body, body, answer, changes, status, nowMs: nowMs() };
  await audit(auditEntry(operation, { caller, ...done }));
  return answer;
}

interface Resolved {
  readonly params: Readonly<Record<string, string | number>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** With ids in the place of references to earlier calls. */
function resolved({ params, query, body }: Change, ids: readonly Id[]): Resolved {
  return { params: withAnswers(params, ids) as Resolved["params"], query, body: withAnswers(body, ids) };
}

function withAnswers(value: unknown, ids: readonly Id[]): unknown {
  if (Array.isArray(value)) return value.map((one) => withAnswers(one, ids));
  if (typeof value !== "object" || value === null) return value;
  const of: unknown = answerReference in value ? value[answerReference] : undefined;
  if (typeof of === "number") return ids[of] ?? null;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withAnswers(inner, ids)]));
}

/** Whoever reads an error finds the call. What is not there any more is no wrong address of this one. */
async function naming<T>(index: number, { operation }: Change, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const code = error.code === "not_found" ? "conflict" : error.code;
    throw new AppError(code, error.message, { cause: error, attributes: { ...error.attributes, call: index, operation } });
  }
}
