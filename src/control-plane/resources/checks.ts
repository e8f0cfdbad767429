import type { ApiCheckCreate } from "#contract/checks/api.ts";
import {
  type CheckListQuery,
  createApiCheck,
  deleteCheck,
  getCheckV1,
  getCheckV2,
  getCheckV3,
  listChecksV1,
  listChecksV2,
  listChecksV3,
  updateApiCheck,
} from "#contract/checks/operations.ts";
import { type CallContext, type Handler, handler } from "../http/handler.ts";
import type { CheckFilter, CheckRow, CheckStore, LocationStore } from "../storage/storage.ts";
import { checkView, checkViewV1, checkViewV2, checkViewV3 } from "./check-view.ts";
import { mergedCheck } from "./merged-check.ts";
import { notFound } from "./not-found.ts";
import { type PreparedCheck, prepareCheck } from "./prepare-check.ts";

export interface CheckDeps {
  readonly checks: Pick<CheckStore, "create" | "update" | "byUuid" | "list" | "remove" | "offsets">;
  readonly locations: Pick<LocationStore, "byCodes">;
  readonly nowMs: () => number;
}

export function checkHandlers(deps: CheckDeps): readonly Handler[] {
  return [...writeHandlers(deps), ...readHandlers(deps)];
}

/** Makes an API check of an account. @throws {AppError} invalid_input */
export async function createCheck(deps: CheckDeps, accountId: number, body: ApiCheckCreate): Promise<CheckRow> {
  const uuid = crypto.randomUUID();
  const { nowMs } = deps;
  return deps.checks.create({ uuid, accountId, type: "API", ...(await prepared(deps, accountId, uuid, body)), nowMs: nowMs() });
}

async function prepared(deps: CheckDeps, accountId: number, uuid: string, wanted: ApiCheckCreate): Promise<PreparedCheck> {
  return prepareCheck(deps, accountId, uuid, wanted, deps.nowMs());
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
  const { checks, nowMs } = deps;
  const create = oneAtATime((accountId: number, body: ApiCheckCreate) => createCheck(deps, accountId, body));
  return [
    handler(createApiCheck, async ({ body }, { caller }) => checkView(await create(caller.account.id, body))),
    handler(updateApiCheck, async ({ params: { id }, body }, { caller }) => {
      const accountId = caller.account.id;
      const uuid = id.toLowerCase();
      const before = await checks.byUuid(accountId, uuid);
      if (before === undefined || before.type !== "API") throw notFound("API check", id);
      const wanted = mergedCheck(before.definition, body);
      const after = await checks.update(accountId, uuid, { ...(await prepared(deps, accountId, uuid, wanted)), nowMs: nowMs() });
      if (after === undefined) throw notFound("API check", id);
      return checkView(after);
    }),
    handler(deleteCheck, async ({ params: { id } }, { caller }) => {
      if (!(await checks.remove(caller.account.id, id.toLowerCase()))) throw notFound("check", id);
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
