import {
  type CheckGroup,
  type CheckGroupCreate,
  type CheckGroupCreateV2,
  type CheckGroupRead,
  type CheckGroupSettings,
  type CheckGroupUpdate,
  createCheckGroupV1,
  createCheckGroupV2,
  deleteCheckGroup,
  getCheckGroup,
  getGroupCheckV1,
  getGroupCheckV2,
  listCheckGroups,
  listGroupChecksV1,
  listGroupChecksV2,
  updateCheckGroupV1,
  updateCheckGroupV2,
} from "#contract/check-groups.ts";
import { noProjectBindings } from "#contract/project-bindings.ts";
import { secretMask } from "#contract/variables.ts";
import { assertionProblems } from "#domain/assertions/problems.ts";
import { type InputProblem, invalidInput } from "#domain/invalid-input.ts";
import { roleAllows } from "#domain/key.ts";
import { type AccountCaller, type CallContext, type Handler, handler } from "../http/handler.ts";
import type { Sealing } from "../keys/sealing.ts";
import { instant, instantOrNull } from "../kinds/instants.ts";
import { notFound } from "../kinds/not-found.ts";
import { referenceProblems } from "../kinds/references.ts";
import { revealFor, sealedVariables, shownSettings } from "../secrets/definition-secrets.ts";
import { sealedRequest } from "../secrets/request-secrets.ts";
import type {
  AlertSubscriptionStore,
  ChannelChoice,
  CheckGroupRow,
  CheckGroupStore,
  DocumentStore,
  GroupedCheck,
  LocationStore,
} from "../storage/storage.ts";
import { namedIn } from "./checks.ts";
import { findLocations } from "./find-locations.ts";

export interface CheckGroupDeps {
  readonly checkGroups: CheckGroupStore;
  readonly alertSubscriptions: Pick<AlertSubscriptionStore, "ofGroups">;
  readonly documents: Pick<DocumentStore, "byIds" | "byUuids">;
  readonly locations: Pick<LocationStore, "byCodes">;
  readonly sealing: Sealing;
  /** Whoever may write also reads secrets of groups. */
  readonly secretsReadable: boolean;
  readonly nowMs: () => number;
}

export function checkGroupHandlers(deps: CheckGroupDeps): readonly Handler[] {
  return [...writeHandlers(deps), ...readHandlers(deps), ...groupedCheckHandlers(deps)];
}

type Body = CheckGroupCreate | CheckGroupUpdate | CheckGroupCreateV2;

function writeHandlers(deps: CheckGroupDeps): readonly Handler[] {
  const { checkGroups, nowMs } = deps;
  const create = async (caller: AccountCaller, body: CheckGroupCreate | CheckGroupCreateV2, retryStrategy: Retries, joinsAll: boolean) => {
    const { account } = caller;
    const uuid = crypto.randomUUID();
    const { locationIds, settings } = await prepared(deps, account.id, body, retryStrategy);
    const subscriptions = {
      ...(body.alertChannelSubscriptions !== undefined && { named: body.alertChannelSubscriptions }),
      joining: joinsAll ? ("all" as const) : ("automatic" as const),
    };
    const row = await checkGroups.create({
      uuid,
      accountId: account.id,
      settings: settings(uuid, body.name),
      locationIds,
      subscriptions,
      nowMs: nowMs(),
    });
    return shown(deps, caller, row);
  };
  const update = async (caller: AccountCaller, id: number, body: Body, retryStrategy: Retries, assignsAlerts: boolean) => {
    const { account } = caller;
    const { locationIds, settings } = await prepared(deps, account.id, body, retryStrategy);
    const subscriptions = namedIn(body, assignsAlerts);
    const change = ({ uuid, settings: before }: CheckGroupRow) => ({
      locationIds,
      subscriptions,
      settings: settings(uuid, body.name ?? before.name, before),
    });
    const row = await checkGroups.update(account.id, id, change, nowMs());
    if (row === undefined) throw notFound("check group", String(id));
    return shown(deps, caller, row);
  };
  return [
    handler(createCheckGroupV1, ({ body, query }, { caller }) => create(caller, body, retriesV1(body), query.autoAssignAlerts)),
    handler(createCheckGroupV2, ({ body, query }, { caller }) => create(caller, body, body.retryStrategy, query.autoAssignAlerts)),
    handler(updateCheckGroupV1, ({ params, body, query }, { caller }) =>
      update(caller, params.id, body, retriesV1(body), query.autoAssignAlerts),
    ),
    handler(updateCheckGroupV2, ({ params, body, query }, { caller }) =>
      update(caller, params.id, body, body.retryStrategy, query.autoAssignAlerts),
    ),
    handler(deleteCheckGroup, async ({ params: { id } }, { caller }) => {
      if (!(await checkGroups.remove(caller.account.id, id))) throw notFound("check group", String(id));
      return undefined;
    }),
  ];
}

type Retries = CheckGroupSettings["retryStrategy"];

/** v1 can ask for no retries at all; what it does not say is each check's own. */
function retriesV1({ retryStrategy = "FALLBACK" }: Pick<CheckGroupCreate, "retryStrategy">): Retries {
  return retryStrategy;
}

interface Prepared {
  readonly locationIds: readonly number[];
  /** What is to be stored; `before` lends the secrets that a client sends back as it read them. */
  readonly settings: (uuid: string, name: string, before?: CheckGroupSettings) => CheckGroupSettings;
}

/** What a check runs with in a group of this body that is stored nowhere. @throws {AppError} invalid_input naming the field */
export async function unstoredGroup(
  deps: PreparingDeps,
  accountId: number,
  uuid: string,
  body: CheckGroupCreate | CheckGroupCreateV2,
): Promise<CheckGroupSettings> {
  const { settings } = await prepared(deps, accountId, { ...body, locations: [], privateLocations: null }, retriesV1(body));
  return settings(uuid, body.name);
}

type PreparingDeps = Pick<CheckGroupDeps, "documents" | "locations"> & { readonly sealing: Pick<Sealing, "seal" | "renewed"> };

/** Holds a body against what its schema cannot say. @throws {AppError} invalid_input naming the field */
async function prepared(deps: PreparingDeps, accountId: number, body: Body, retryStrategy: Retries): Promise<Prepared> {
  const [{ locationIds, problems: places }, snippets] = await Promise.all([
    findLocations(deps.locations, accountId, body),
    referenceProblems(deps.documents, accountId, "check-group", body),
  ]);
  const assertions = body.apiCheckDefaults.assertions.flatMap((assertion, index) =>
    assertionProblems(assertion).map((message) => ({
      path: `apiCheckDefaults.assertions[${index}]`,
      message: `cannot be evaluated: ${message}`,
    })),
  );
  const problems = [...places, ...snippets, ...assertions, ...maskProblems(body)];
  if (problems.length > 0) throw invalidInput(problems);
  const { alertChannelSubscriptions: _, environmentVariables = null, privateLocations = null, ...rest } = body;
  const settings: Prepared["settings"] = (uuid, name, before) => {
    const owner = { kind: "check-group", accountId, row: uuid };
    const place = { ...owner, field: "apiCheckDefaults" };
    return {
      ...rest,
      name,
      privateLocations,
      retryStrategy,
      apiCheckDefaults: sealedRequest(rest.apiCheckDefaults, before?.apiCheckDefaults ?? {}, deps.sealing, place),
      environmentVariables:
        environmentVariables && sealedVariables(environmentVariables, before?.environmentVariables ?? [], deps.sealing, owner),
    };
  };
  return { locationIds, settings };
}

/** What was a secret stops being one only together with a new value. */
function maskProblems({ environmentVariables }: Body): readonly InputProblem[] {
  return (environmentVariables ?? []).flatMap(({ value, secret, locked }, index) =>
    value === secretMask && !secret && !locked
      ? [{ path: `environmentVariables[${index}].value`, message: "must be a new value: asterisks keep only that of a secret" }]
      : [],
  );
}

function readHandlers(deps: CheckGroupDeps): readonly Handler[] {
  const { checkGroups, alertSubscriptions } = deps;
  return [
    handler(listCheckGroups, async ({ query: { limit, page, tag, name } }, { caller }) => {
      const filter = { limit, page, ...(tag !== undefined && { tags: tag }), ...(name !== undefined && { names: name }) };
      const { items, total } = await checkGroups.list(caller.account.id, filter);
      const channels = await alertSubscriptions.ofGroups(items.map(({ id }) => id));
      return { items: items.map((row) => readView(deps, caller, row, channels.get(row.id))), total };
    }),
    handler(getCheckGroup, async ({ params: { id } }, { caller }) => {
      const row = await findGroup(deps, caller, id);
      return readView(deps, caller, row, (await alertSubscriptions.ofGroups([id])).get(id));
    }),
  ];
}

function groupedCheckHandlers(deps: CheckGroupDeps): readonly Handler[] {
  interface ListInput {
    readonly params: { readonly id: number };
    readonly query: { readonly page: number; readonly limit: number };
  }
  interface CheckInput {
    readonly params: { readonly groupId: number; readonly checkId: string };
  }
  const list = async ({ params: { id }, query }: ListInput, { caller }: CallContext<"read">) => {
    await findGroup(deps, caller, id);
    const { items, total } = await deps.checkGroups.checks(caller.account.id, id, query);
    return { items: items.map(checkInGroup), total };
  };
  const one = async ({ params: { groupId, checkId } }: CheckInput, { caller }: CallContext<"read">) => {
    await findGroup(deps, caller, groupId);
    const check = await deps.checkGroups.check(caller.account.id, groupId, checkId.toLowerCase());
    if (check === undefined) throw notFound(`check in the group ${groupId}:`, checkId);
    return checkInGroup(check);
  };
  return [handler(listGroupChecksV1, list), handler(listGroupChecksV2, list), handler(getGroupCheckV1, one), handler(getGroupCheckV2, one)];
}

function checkInGroup({ uuid, type }: GroupedCheck) {
  return { id: uuid, checkType: type };
}

async function findGroup({ checkGroups }: CheckGroupDeps, { account }: AccountCaller, id: number): Promise<CheckGroupRow> {
  const row = await checkGroups.byId(account.id, id);
  if (row === undefined) throw notFound("check group", String(id));
  return row;
}

async function shown(deps: CheckGroupDeps, caller: AccountCaller, row: CheckGroupRow): Promise<CheckGroup> {
  return groupView(deps, caller, row, (await deps.alertSubscriptions.ofGroups([row.id])).get(row.id));
}

function readView(
  deps: CheckGroupDeps,
  caller: AccountCaller,
  row: CheckGroupRow,
  channels: readonly ChannelChoice[] | undefined,
): CheckGroupRead {
  return { ...groupView(deps, caller, row, channels), projectBindings: noProjectBindings };
}

function groupView(deps: CheckGroupDeps, { role }: AccountCaller, row: CheckGroupRow, channels: readonly ChannelChoice[] = []): CheckGroup {
  const { environmentVariables, ...settings } = shownSettings(row, revealFor(deps, roleAllows(role, "write")));
  return {
    ...settings,
    id: row.id,
    // In a group a value is always a text.
    environmentVariables: environmentVariables?.map(({ value, ...variable }) => ({ ...variable, value: value ?? secretMask })) ?? null,
    alertChannelSubscriptions: channels.map((choice) => ({ ...choice })),
    created_at: instant(row.createdAtMs),
    updated_at: instantOrNull(row.updatedAtMs),
  };
}
