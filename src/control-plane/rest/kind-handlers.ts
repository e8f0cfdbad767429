import { kindNamed, objectParameter } from "#contract/kinds.ts";
import type { Operation } from "#contract/operation.ts";
import { roleAllows } from "#domain/key.ts";
import type { AccountCaller, Handler } from "../http/handler.ts";
import { type AnyDocumentKind, documentAddress, type KindCall, type KindDeps } from "../kinds/document-kind.ts";
import { findDocument, found } from "../kinds/find-document.ts";
import { refuseDomainOfOthers, withAddresses } from "../kinds/page-addresses.ts";
import { refuseUnknownReferences } from "../kinds/references.ts";
import { removeDocument } from "../kinds/remove-document.ts";
import type { DocumentAddress, DocumentChange, DocumentRow } from "../storage/storage.ts";
import { cursorPage } from "./cursor-page.ts";

/** The parts of a request that the schemas of a kind's operations give. */
interface Input {
  readonly params: Readonly<Record<string, string | number>>;
  readonly query: ListQuery | undefined;
  readonly body: unknown;
}

interface ListQuery {
  readonly page?: number;
  readonly limit: number;
  readonly nextId?: string;
  readonly paginated?: boolean;
}

type Serve = (input: Input, call: KindCall) => Promise<unknown>;

/** List, create, find, update and delete of one kind: those of its operations that have no handler of their own. */
export function kindHandlers(kind: AnyDocumentKind, deps: KindDeps): readonly Handler[] {
  const { operations } = kindNamed(kind.kind);
  const serving = { list, create, find, update, remove } as const;
  const names = (Object.keys(operations) as (keyof typeof serving)[]).filter((name) => !kind.own?.includes(name));
  return names.flatMap((name) => {
    const operation = operations[name];
    if (operation === undefined) return [];
    const serve = serving[name](kind, operation);
    return [
      {
        operation,
        handle: (input: Input, { caller }: { readonly caller: AccountCaller }) => serve(input, kindCall(deps, caller)),
      },
    ];
  });
}

/** One request of this caller. */
export function kindCall({ nowMs, ...deps }: KindDeps, { account, role }: Pick<AccountCaller, "account" | "role">): KindCall {
  return { ...deps, account, mayWrite: roleAllows(role, "write"), nowMs: nowMs(), shownOnce: new Map() };
}

/** Views of rows of a kind, in their order. */
async function shown(kind: AnyDocumentKind, rows: readonly DocumentRow[], call: KindCall): Promise<readonly unknown[]> {
  const related = await kind.related?.(rows, call);
  return rows.map((row) => kind.view(row, call, related));
}

async function shownOne(kind: AnyDocumentKind, row: DocumentRow, call: KindCall): Promise<unknown> {
  return (await shown(kind, [row], call))[0];
}

const everything: ListQuery = { limit: Number.POSITIVE_INFINITY };

/** A page, the part after a cursor, or all: as the operation's own answer is. */
function list(kind: AnyDocumentKind, { paged, query: takes }: Operation): Serve {
  const listed = async (rows: readonly DocumentRow[], call: KindCall) => (await shown(kind, rows, call)).map(kind.listed ?? same);
  const isCursor = takes !== undefined && "nextId" in takes.shape;
  return async ({ query = everything }, call) => {
    const { documents, account } = call;
    const { page = 1, limit } = query;
    const wanted = kind.filter?.(query);
    if (isCursor && query.paginated !== false) {
      const { rows, nextId } = await cursorPage(documents, account.id, kind.kind, query, kind.newestFirst);
      return { length: rows.length, entries: await listed(rows, call), nextId };
    }
    const { items, total } = await documents.list(account.id, kind.kind, paged && wanted === undefined ? { page, limit } : {});
    if (isCursor) return { length: items.length, entries: await listed(items, call), nextId: null };
    if (!paged) return listed(items, call);
    if (wanted === undefined) return { items: await listed(items, call), total };
    const matching = items.filter(({ definition }) => wanted(definition));
    return { items: await listed(matching.slice((page - 1) * limit, page * limit), call), total: matching.length };
  };
}

function create(kind: AnyDocumentKind): Serve {
  return async ({ body }, call) => {
    const { account, documents, nowMs } = call;
    await refuseUnknownReferences(documents, account.id, kind.kind, body);
    const uuid = crypto.randomUUID();
    const parts = kind.create?.(body, call, uuid);
    if (parts === undefined) throw new Error(`nothing says how a ${kind.kind} is made`);
    const row = await addressed(kind, body, call, async (claims) => {
      const document = { ...parts, uuid, accountId: account.id, kind: kind.kind, nowMs, ...(claims !== undefined && { claims }) };
      return kind.store === undefined ? documents.create(document) : kind.store.create(document, body, call);
    });
    return written(kind, row, call);
  };
}

function find(kind: AnyDocumentKind, operation: Operation): Serve {
  return async (input, call) =>
    shownOne(kind, await findDocument(call.documents, call.account.id, kind.kind, addressOf(kind, operation, input)), call);
}

function update(kind: AnyDocumentKind, operation: Operation): Serve {
  return async (input, call) => {
    const { account, documents, nowMs } = call;
    const { body } = input;
    const address = addressOf(kind, operation, input);
    await refuseUnknownReferences(documents, account.id, kind.kind, body);
    const row = await addressed(kind, body, call, async (addresses) => {
      const change = (before: DocumentRow): DocumentChange => {
        const after = kind.update?.(body, before, call);
        if (after === undefined) throw new Error(`nothing says how a ${kind.kind} is changed`);
        return addresses === undefined ? after : { ...after, claims: [...addresses, ...(after.claims ?? [])] };
      };
      return kind.store?.update === undefined
        ? documents.update(account.id, kind.kind, address, change, nowMs)
        : kind.store.update(address, change, body, call);
    });
    return written(kind, found(row, kind.kind, address), call);
  };
}

function remove(kind: AnyDocumentKind, operation: Operation): Serve {
  return (input, { documents, account }) => removeDocument(documents, account.id, kind.kind, addressOf(kind, operation, input));
}

/** What `write` answers, with the claims of the page addresses that the body asks for. @throws {AppError} conflict that names the field */
async function addressed<T>(
  { pageAddresses }: AnyDocumentKind,
  body: unknown,
  call: KindCall,
  write: (claims: readonly string[] | undefined) => Promise<T>,
): Promise<T> {
  if (pageAddresses === undefined) return write(undefined);
  const addresses = pageAddresses(body, call.account.id);
  for (const { field, value } of addresses) if (field === "customDomain") await refuseDomainOfOthers(call, call.account.id, value);
  return withAddresses(addresses, write);
}

async function written(kind: AnyDocumentKind, row: DocumentRow, call: KindCall): Promise<unknown> {
  return (kind.written ?? same)(await shownOne(kind, row, call));
}

const same = (view: unknown): unknown => view;

function addressOf({ kind }: AnyDocumentKind, operation: Operation, { params }: Input): DocumentAddress {
  const id = params[objectParameter(operation) ?? ""];
  if (id === undefined) throw new Error(`${operation.path} ends in no parameter`);
  return documentAddress(kind, id);
}
