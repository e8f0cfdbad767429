import { randomBytes } from "node:crypto";
import {
  callCheckTrigger,
  callGroupTrigger,
  createCheckTrigger,
  createGroupTrigger,
  deleteCheckTrigger,
  deleteGroupTrigger,
  getCheckTrigger,
  getGroupTrigger,
  type TriggerOutcome,
} from "#contract/triggers.ts";
import { AppError, hasCode } from "#domain/app-error.ts";
import { type Handler, handler } from "../http/handler.ts";
import type { SessionWaits } from "../jobs/session-waits.ts";
import type { Sealing, SecretPlace } from "../keys/sealing.ts";
import { findDocument } from "../kinds/find-document.ts";
import { instant, instantOrNull } from "../kinds/instants.ts";
import { notFound } from "../kinds/not-found.ts";
import { removeDocument } from "../kinds/remove-document.ts";
import type {
  CheckGroupStore,
  CheckRow,
  CheckStore,
  DocumentRow,
  DocumentStore,
  ResultStore,
  SessionRow,
  SessionStore,
} from "../storage/storage.ts";
import { isOver } from "./check-sessions.ts";
import { findCheck } from "./find-check.ts";
import { type StartDeps, startChecks } from "./start-checks.ts";

export interface TriggerDeps extends StartDeps {
  readonly documents: Pick<DocumentStore, "create" | "find" | "byClaim" | "update" | "remove">;
  readonly checks: Pick<CheckStore, "byUuid" | "activated">;
  readonly checkGroups: Pick<CheckGroupStore, "byId" | "byIds">;
  readonly sessions: Pick<SessionStore, "byNo">;
  readonly results: Pick<ResultStore, "ofSession">;
  readonly waits: Pick<SessionWaits, "until">;
  readonly sealing: Sealing;
  readonly hashOf: (secret: string) => string;
  /** Base of links, without a slash at its end. */
  readonly publicUrl: () => string;
  /** How long a call waits for the end; tests wait less. */
  readonly maxWaitMs?: number;
}

const defaultMaxWaitMs = 30_000;

/** What is stored of a trigger. Its name says what it runs; it is found by the hash of its token. */
interface StoredTrigger {
  readonly sealedToken: string;
  readonly calledAtMs: number | null;
}
type TriggerRow = DocumentRow<StoredTrigger>;

export function triggerHandlers(deps: TriggerDeps): readonly Handler[] {
  return [...checkTriggerHandlers(deps), ...groupTriggerHandlers(deps), ...callHandlers(deps)];
}

function checkTriggerHandlers(deps: TriggerDeps): readonly Handler[] {
  const view = (row: TriggerRow, checkId: string) => ({ ...triggerView(deps, row, `/checks/${checkId}`), checkId });
  return [
    handler(getCheckTrigger, async ({ params: { checkId } }, { caller }) => {
      const { uuid } = await findCheck(deps.checks, caller.account.id, checkId);
      return view(await findTrigger(deps, caller.account.id, uuid), uuid);
    }),
    handler(createCheckTrigger, async ({ params: { checkId } }, { caller }) => {
      const { uuid } = await findCheck(deps.checks, caller.account.id, checkId);
      return view(await createTrigger(deps, caller.account.id, uuid), uuid);
    }),
    handler(deleteCheckTrigger, async ({ params: { checkId } }, { caller }) => {
      const { uuid } = await findCheck(deps.checks, caller.account.id, checkId);
      return removeDocument(deps.documents, caller.account.id, "trigger", { name: uuid });
    }),
  ];
}

function groupTriggerHandlers(deps: TriggerDeps): readonly Handler[] {
  const view = (row: TriggerRow, groupId: number) => ({ ...triggerView(deps, row, `/check-groups/${groupId}`), groupId });
  const findGroup = async (accountId: number, id: number): Promise<void> => {
    if ((await deps.checkGroups.byId(accountId, id)) === undefined) throw notFound("check group", String(id));
  };
  return [
    handler(getGroupTrigger, async ({ params: { groupId } }, { caller }) => {
      await findGroup(caller.account.id, groupId);
      return view(await findTrigger(deps, caller.account.id, groupName(groupId)), groupId);
    }),
    handler(createGroupTrigger, async ({ params: { groupId } }, { caller }) => {
      await findGroup(caller.account.id, groupId);
      return view(await createTrigger(deps, caller.account.id, groupName(groupId), groupId), groupId);
    }),
    handler(deleteGroupTrigger, async ({ params: { groupId } }, { caller }) => {
      await findGroup(caller.account.id, groupId);
      return removeDocument(deps.documents, caller.account.id, "trigger", { name: groupName(groupId) });
    }),
  ];
}

function callHandlers(deps: TriggerDeps): readonly Handler[] {
  return [
    handler(callCheckTrigger, async ({ params: { checkId, token } }, { signal }) => {
      const uuid = checkId.toLowerCase();
      const { accountId } = await calledTrigger(deps, uuid, token);
      const check = await deps.checks.byUuid(accountId, uuid);
      const sessions = await started(deps, accountId, check?.activated ? [check] : [], "LEGACY_TRIGGER");
      const ended = await untilEnded(deps, sessions, signal);
      const results = (await Promise.all(ended.map((session) => deps.results.ofSession(session)))).flat();
      const times = results.filter(({ resultType }) => resultType === "FINAL").map(({ responseTimeMs }) => Math.round(responseTimeMs));
      return { ...outcomeOf(ended), ...(times.length > 0 && { responseTime: Math.max(...times) }) };
    }),
    handler(callGroupTrigger, async ({ params: { groupId, token } }, { signal }) => {
      const { accountId } = await calledTrigger(deps, groupName(groupId), token);
      const sessions = await started(deps, accountId, await deps.checks.activated(accountId, groupId), "GROUP_RUN_ALL");
      return outcomeOf(await untilEnded(deps, sessions, signal));
    }),
  ];
}

/** The trigger of a token, which must be that of the address. Found by a keyed hash, so no answer's time tells of other tokens. */
async function calledTrigger(deps: TriggerDeps, name: string, token: string): Promise<TriggerRow> {
  const row = await deps.documents.byClaim<StoredTrigger>("trigger", claimOf(deps, token));
  if (row?.name !== name) throw new AppError("not_found", "There is no such trigger");
  const calledAtMs = deps.nowMs();
  const called = ({ definition }: TriggerRow) => ({ definition: { ...definition, calledAtMs } });
  await deps.documents.update<StoredTrigger>(row.accountId, "trigger", { id: row.id }, called, calledAtMs);
  return row;
}

/** @throws {AppError} not_found when there is nothing to run */
function started(
  deps: TriggerDeps,
  accountId: number,
  checks: readonly CheckRow[],
  source: "LEGACY_TRIGGER" | "GROUP_RUN_ALL",
): Promise<readonly SessionRow[]> {
  const runnable = checks.filter(({ locationIds }) => locationIds.length > 0);
  if (runnable.length === 0) throw new AppError("not_found", "The trigger runs no activated check");
  return startChecks(deps, accountId, runnable, source);
}

/** The sessions as they ended. @throws {AppError} try_again when the wait ran out or the caller went away */
async function untilEnded(deps: TriggerDeps, sessions: readonly SessionRow[], signal: AbortSignal): Promise<readonly SessionRow[]> {
  const wait = AbortSignal.any([signal, AbortSignal.timeout(deps.maxWaitMs ?? defaultMaxWaitMs)]);
  const ended: SessionRow[] = [];
  for (const { no, accountId } of sessions) {
    const session = await deps.waits.until(no, defaultMaxWaitMs, wait, async () => {
      const now = await deps.sessions.byNo(accountId, no);
      if (now === undefined) throw new AppError("not_found", "The check was deleted while it ran");
      return isOver(now) ? now : undefined;
    });
    if (session === undefined) throw notEnded();
    ended.push(session);
  }
  return ended;
}

function notEnded(): AppError {
  return new AppError("try_again", "The run has not ended within 30 seconds; it goes on, and asking again starts another one");
}

/** What nobody ran, or somebody cancelled, has not passed either. */
function outcomeOf(sessions: readonly SessionRow[]): TriggerOutcome {
  return { hasFailures: !sessions.every(({ status }) => status === "PASSED" || status === "DEGRADED") };
}

function findTrigger({ documents }: TriggerDeps, accountId: number, name: string): Promise<TriggerRow> {
  return findDocument<StoredTrigger>(documents, accountId, "trigger", { name });
}

/** The trigger that is there, or a new one. @param parentId it goes when this group goes */
async function createTrigger(deps: TriggerDeps, accountId: number, name: string, parentId?: number): Promise<TriggerRow> {
  const existing = await deps.documents.find<StoredTrigger>(accountId, "trigger", { name });
  if (existing !== undefined && tokenOf(deps, existing) !== null) return existing;
  if (existing !== undefined) await deps.documents.remove(accountId, "trigger", { id: existing.id });
  const token = randomBytes(16).toString("hex");
  const definition: StoredTrigger = { sealedToken: deps.sealing.seal(token, tokenPlace(deps, accountId, name)), calledAtMs: null };
  const parent = parentId === undefined ? {} : { parentId };
  const trigger = { accountId, kind: "trigger", name, definition, claims: [claimOf(deps, token)], nowMs: deps.nowMs(), ...parent } as const;
  return deps.documents.create<StoredTrigger>(trigger).catch((error: unknown) => {
    // Somebody made it in this moment.
    if (hasCode(error, "conflict")) return findTrigger(deps, accountId, name);
    throw error;
  });
}

/** A check's trigger has the name of its uuid, so that it goes with the check. */
function groupName(groupId: number): string {
  return `group ${groupId}`;
}

function claimOf({ hashOf }: Pick<TriggerDeps, "hashOf">, token: string): string {
  return `trigger ${hashOf(token)}`;
}

/** The pepper is part of the place: under another one the trigger is not found by its hash, so its token shall not open either. */
function tokenPlace({ hashOf }: Pick<TriggerDeps, "hashOf">, accountId: number, name: string): SecretPlace {
  return { kind: "trigger", accountId, row: name, field: `token ${hashOf("outpost")}` };
}

/** Null where its address does not work any more. */
function tokenOf(deps: TriggerDeps, { accountId, name, definition }: TriggerRow): string | null {
  return deps.sealing.unseal(definition.sealedToken, tokenPlace(deps, accountId, name ?? ""));
}

function triggerView(deps: TriggerDeps, row: TriggerRow, path: string) {
  const token = tokenOf(deps, row);
  if (token === null)
    throw new AppError("not_found", "The trigger was made under a pepper or an encryption key that is lost; make it again");
  return {
    id: row.id,
    token,
    url: `${deps.publicUrl()}${path}/trigger/${token}`,
    created_at: instant(row.createdAtMs),
    called_at: instantOrNull(row.definition.calledAtMs),
    updated_at: null,
  };
}
