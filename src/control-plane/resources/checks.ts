import { type CheckCreate, type CheckType, type CheckUpdate, checkTypes } from "#contract/checks/index.ts";
import {
  type CheckListQuery,
  checkWrites,
  deleteCheck,
  getCheckV1,
  getCheckV2,
  getCheckV3,
  listChecksV1,
  listChecksV2,
  listChecksV3,
} from "#contract/checks/operations.ts";
import { type CallContext, type Handler, handler } from "../http/handler.ts";
import type { CheckFilter, CheckRow, CheckStore, LocationStore } from "../storage/storage.ts";
import { checkView, checkViewV1, checkViewV2, checkViewV3 } from "./check-view.ts";
import { mergedCheck } from "./merged-check.ts";
import { notFound } from "./not-found.ts";
import { prepareCheck } from "./prepare-check.ts";

export interface CheckDeps {
  readonly checks: Pick<CheckStore, "create" | "update" | "byUuid" | "list" | "remove" | "offsets">;
  readonly locations: Pick<LocationStore, "byCodes">;
  readonly nowMs: () => number;
}

export function checkHandlers(deps: CheckDeps): readonly Handler[] {
  return [...writeHandlers(deps), ...readHandlers(deps)];
}

/** Makes a check of an account. @throws {AppError} invalid_input */
export async function createCheck(deps: CheckDeps, accountId: number, body: CheckCreate): Promise<CheckRow> {
  const uuid = crypto.randomUUID();
  const check = await prepareCheck(deps, accountId, uuid, body, deps.nowMs());
  return deps.checks.create({ uuid, accountId, type: body.checkType, ...check, nowMs: deps.nowMs() });
}

async function updateCheck(deps: CheckDeps, type: CheckType, accountId: number, id: string, change: CheckUpdate): Promise<CheckRow> {
  const { checks, nowMs } = deps;
  const uuid = id.toLowerCase();
  const { title } = checkTypes[type].schemas;
  const before = await checks.byUuid(accountId, uuid);
  if (before?.type !== type) throw notFound(title, id);
  const check = await prepareCheck(deps, accountId, uuid, mergedCheck(type, before.definition, change), nowMs());
  const after = await checks.update(accountId, uuid, { ...check, nowMs: nowMs() });
  if (after === undefined) throw notFound(title, id);
  return after;
}

/** Offsets are spread over those in use, so creations at the same time must see each other's. */
function oneAtATime<Args extends readonly unknown[], T>(work: (...args: Args) => Promise<T>): (...args: Args) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (...args) => {
    const next = last.then(() => work(...args));
    last = next.catch(() => undefined);
    return next;
  };
}

function writeHandlers(deps: CheckDeps): readonly Handler[] {
  const create = oneAtATime((accountId: number, body: CheckCreate) => createCheck(deps, accountId, body));
  const ofType = (type: CheckType): readonly Handler[] => [
    handler(checkWrites[type].create, async ({ body }, { caller }) => checkView(await create(caller.account.id, body))),
    handler(checkWrites[type].update, async ({ params: { id }, body }, { caller }) =>
      checkView(await updateCheck(deps, type, caller.account.id, id, body)),
    ),
  ];
  return [
    ...(Object.keys(checkTypes) as CheckType[]).flatMap(ofType),
    handler(deleteCheck, async ({ params: { id } }, { caller }) => {
      if (!(await deps.checks.remove(caller.account.id, id.toLowerCase()))) throw notFound("check", id);
      return undefined;
    }),
  ];
}

function readHandlers({ checks }: CheckDeps): readonly Handler[] {
  const list =
    <View>(view: (row: CheckRow) => View) =>
    async ({ query }: { readonly query: CheckListQuery }, { caller }: CallContext<"read">) => {
      const { items, total } = await checks.list(caller.account.id, filterOf(query));
      return { items: items.map(view), total };
    };
  const read =
    <View>(view: (row: CheckRow) => View) =>
    async ({ params: { id } }: { readonly params: { readonly id: string } }, { caller }: CallContext<"read">) => {
      const row = await checks.byUuid(caller.account.id, id.toLowerCase());
      if (row === undefined) throw notFound("check", id);
      return view(row);
    };
  return [
    handler(listChecksV1, list(checkViewV1)),
    handler(listChecksV2, list(checkViewV2)),
    handler(listChecksV3, list(checkViewV3)),
    handler(getCheckV1, read(checkViewV1)),
    handler(getCheckV2, read(checkViewV2)),
    handler(getCheckV3, read(checkViewV3)),
  ];
}

function filterOf({ page, limit, tag, checkType, search, status, apiCheckUrlFilterPattern }: CheckListQuery): CheckFilter {
  return {
    page,
    limit,
    ...(tag !== undefined && { tags: tag }),
    ...(checkType !== undefined && { type: checkType }),
    ...(search !== undefined && { search }),
    ...(status !== undefined && { status }),
    ...(apiCheckUrlFilterPattern !== undefined && { urlPattern: apiCheckUrlFilterPattern }),
  };
}
