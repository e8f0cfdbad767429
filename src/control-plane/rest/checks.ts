import {
  type CheckListQuery,
  checkWrites,
  createCheck as createCheckOfType,
  deleteCheck,
  getCheckV1,
  getCheckV2,
  getCheckV3,
  listChecksV1,
  listChecksV2,
  listChecksV3,
  updateCheck as updateCheckOfAnyType,
} from "#contract/checks/operations.ts";
import { type CheckCreate, type CheckUpdate, storedCheckTypes } from "#contract/checks/stored-types.ts";
import type { CheckTypeName } from "#contract/primitives.ts";
import { roleAllows } from "#domain/key.ts";
import { type AccountCaller, type CallContext, type Handler, handler } from "../http/handler.ts";
import type { Sealing } from "../keys/sealing.ts";
import { notFound } from "../kinds/not-found.ts";
import { refuseUnknownReferences } from "../kinds/references.ts";
import { revealFor, withSealedSecrets } from "../secrets/definition-secrets.ts";
import type {
  CheckFilter,
  CheckGroupStore,
  CheckRow,
  CheckStore,
  DocumentStore,
  LocationStore,
  SubscriptionsWanted,
} from "../storage/storage.ts";
import { withGroupSettings } from "./apply-group-settings.ts";
import { type CheckChannelDeps, channelsOfChecks, withoutSubscriptions } from "./check-channels.ts";
import { checkViewV1, checkViewV2, checkViewV3, type ViewOptions } from "./check-view.ts";
import { findCheck } from "./find-check.ts";
import { changedCheck, changeOf } from "./merged-check.ts";
import { countPingGuesses, type PingGuessDeps } from "./ping-guesses.ts";
import { prepareCheck } from "./prepare-check.ts";
import type { PrepareHeartbeatDeps } from "./prepare-heartbeat.ts";

export interface CheckDeps extends PrepareHeartbeatDeps {
  readonly checks: Pick<CheckStore, "create" | "update" | "byUuid" | "list" | "remove" | "offsets">;
  readonly checkGroups: Pick<CheckGroupStore, "byId" | "byIds">;
  readonly locations: Pick<LocationStore, "byCodes">;
  readonly documents: Pick<DocumentStore, "byIds" | "byUuids">;
  readonly nowMs: () => number;
}

export interface CheckHandlerDeps extends CheckDeps, CheckChannelDeps, PingGuessDeps {
  readonly documents: CheckDeps["documents"] & CheckChannelDeps["documents"];
  readonly sealing: Sealing;
  /** Whoever may write also reads secrets of checks. */
  readonly secretsReadable: boolean;
  /** What ping URLs begin with, without a slash at its end. */
  readonly pingBase: () => string;
}

export function checkHandlers(deps: CheckHandlerDeps): readonly Handler[] {
  return [...writeHandlers(deps).map((one) => countPingGuesses(deps, one)), ...readHandlers(deps)];
}

/** Makes a check of an account. @param joining the channels it is subscribed to beside those it names @throws {AppError} invalid_input */
export async function createCheck(
  deps: CheckDeps,
  accountId: number,
  body: CheckCreate,
  joining: NonNullable<SubscriptionsWanted["joining"]> = "all",
  uuid: string = crypto.randomUUID(),
): Promise<CheckRow> {
  await refuseUnknownReferences(deps.documents, accountId, "check", body);
  const nowMs = deps.nowMs(); // one instant for both: no slot comes before the check was made
  const check = await prepareCheck(deps, accountId, uuid, body, nowMs);
  return deps.checks.create({
    uuid,
    accountId,
    type: body.checkType,
    ...check,
    definition: withoutSubscriptions(check.definition),
    subscriptions: { ...namedIn(body), joining },
    nowMs,
  });
}

/** Clients that look after the subscriptions themselves leave an empty list out: where nothing is assigned, nothing named is none. */
export function namedIn(
  { alertChannelSubscriptions: named }: Pick<CheckUpdate, "alertChannelSubscriptions">,
  assignsAlerts = true,
): SubscriptionsWanted {
  if (named !== undefined) return { named };
  return assignsAlerts ? {} : { named: [] };
}

async function updateCheck(deps: CheckHandlerDeps, before: CheckRow, change: CheckUpdate, assignsAlerts: boolean): Promise<CheckRow> {
  const { accountId, uuid, type } = before;
  // What a stored check names may be gone; only what a body says is looked at.
  await refuseUnknownReferences(deps.documents, accountId, "check", change);
  const nowMs = deps.nowMs();
  const check = await prepareCheck(deps, accountId, uuid, changedCheck(before, change, deps.sealing), nowMs);
  const definition = withoutSubscriptions(check.definition);
  const subscriptions = namedIn(change, assignsAlerts);
  const after = await deps.checks.update(accountId, uuid, { ...check, definition, subscriptions, nowMs });
  if (after === undefined) throw notFound(storedCheckTypes[type].title, uuid);
  return after;
}

async function updateCheckOf(
  type: CheckTypeName,
  deps: CheckHandlerDeps,
  accountId: number,
  id: string,
  change: CheckUpdate,
  assignsAlerts: boolean,
): Promise<CheckRow> {
  const before = await deps.checks.byUuid(accountId, id.toLowerCase());
  if (before?.type !== type) throw notFound(storedCheckTypes[type].title, id);
  return updateCheck(deps, before, change, assignsAlerts);
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

async function updateAnyCheck(
  deps: CheckHandlerDeps,
  accountId: number,
  id: string,
  body: { readonly checkType?: CheckTypeName | undefined },
  assignsAlerts: boolean,
): Promise<CheckRow> {
  const before = await findCheck(deps.checks, accountId, id);
  return updateCheck(deps, before, changeOf(before, body), assignsAlerts);
}

function writeHandlers(deps: CheckHandlerDeps): readonly Handler[] {
  // Of several calls together only the ids of the objects are read: no channels are looked up for each.
  const shown = async (row: CheckRow, { isTogether }: Pick<CallContext, "isTogether">) =>
    checkViewV1(row, await viewOptions(deps, row.accountId, isTogether === true ? [] : [row], true));
  const createOne = oneAtATime((...args: [accountId: number, body: CheckCreate, joining: "all" | "automatic", uuid: string]) =>
    createCheck(deps, ...args),
  );
  const create = async (context: CallContext<"write">, body: CheckCreate, assignsAll: boolean) => {
    const { caller, isTogether } = context;
    const [accountId, uuid] = [caller.account.id, crypto.randomUUID()];
    const whole = withSealedSecrets(body, undefined, deps.sealing, { kind: "check", accountId, row: uuid });
    const joining = assignsAll ? "all" : "automatic";
    // The one before it may wait for the end of the transaction that this one is a part of.
    const made = isTogether === true ? createCheck(deps, accountId, whole, joining, uuid) : createOne(accountId, whole, joining, uuid);
    return shown(await made, context);
  };
  // What each answers is of its own type, which a table of all types cannot tell the compiler.
  const ofType = (type: keyof typeof checkWrites): readonly Handler[] => [
    handler(checkWrites[type].create, async ({ body, query }, context) => (await create(context, body, query.autoAssignAlerts)) as never),
    handler(
      checkWrites[type].update,
      async ({ params: { id }, body, query }, context) =>
        (await shown(await updateCheckOf(type, deps, context.caller.account.id, id, body, query.autoAssignAlerts), context)) as never,
    ),
  ];
  return [
    ...(Object.keys(checkWrites) as (keyof typeof checkWrites)[]).flatMap(ofType),
    handler(createCheckOfType, async ({ body, query }, context) => create(context, body, query.autoAssignAlerts)),
    handler(updateCheckOfAnyType, async ({ params: { id }, body, query }, context) =>
      shown(await updateAnyCheck(deps, context.caller.account.id, id, body, query.autoAssignAlerts), context),
    ),
    handler(deleteCheck, async ({ params: { id } }, { caller }) => {
      if (!(await deps.checks.remove(caller.account.id, id.toLowerCase(), deps.nowMs()))) throw notFound("check", id);
      return undefined;
    }),
  ];
}

type Viewing<View> = (row: CheckRow, options: ViewOptions) => View;

async function viewOptions(deps: CheckHandlerDeps, accountId: number, rows: readonly CheckRow[], writes: boolean): Promise<ViewOptions> {
  const channelsOf = await channelsOfChecks(deps, accountId, rows, writes);
  return { pingBase: deps.pingBase(), channelsOf, reveal: revealFor(deps, writes), revealPings: writes ? deps.sealing.unseal : null };
}

function mayWrite({ role }: AccountCaller): boolean {
  return roleAllows(role, "write");
}

function readHandlers(deps: CheckHandlerDeps): readonly Handler[] {
  const { checks, checkGroups } = deps;
  const list =
    <View>(view: Viewing<View>) =>
    async ({ query }: { readonly query: CheckListQuery }, { caller }: CallContext<"read">) => {
      const { items, total } = await checks.list(caller.account.id, filterOf(query));
      const options = await viewOptions(deps, caller.account.id, items, mayWrite(caller));
      const rows = query.applyGroupSettings ? await withGroupSettings(checkGroups, caller.account.id, items, options.reveal) : items;
      return { items: rows.map((row) => view(row, options)), total };
    };
  const read =
    <View>(view: Viewing<View>) =>
    async ({ params: { id }, query }: CheckReadInput, { caller }: CallContext<"read">) => {
      const row = await findCheck(checks, caller.account.id, id);
      const options = await viewOptions(deps, caller.account.id, [row], mayWrite(caller));
      const [shown = row] = query.applyGroupSettings
        ? await withGroupSettings(checkGroups, caller.account.id, [row], options.reveal)
        : [row];
      return view(shown, { ...options, dependencies: query.includeDependencies ?? false });
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

interface CheckReadInput {
  readonly params: { readonly id: string };
  readonly query: { readonly includeDependencies?: boolean | undefined; readonly applyGroupSettings: boolean };
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
