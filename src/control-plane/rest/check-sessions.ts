import {
  awaitCheckSessionV1,
  awaitCheckSessionV2,
  type CheckSession,
  type CheckSessionWithResults,
  cancelCheckSession,
  type EndedCheckSession,
  getCheckSessionV1,
  getCheckSessionV2,
  SessionStatus,
  type TriggerRequest,
  triggerChecksV1,
  triggerChecksV2,
} from "#contract/check-sessions.ts";
import { AppError } from "#domain/app-error.ts";
import { invalidInput } from "#domain/invalid-input.ts";
import { hasEnded, v1Status } from "#domain/session-status.ts";
import { matchesTags } from "#domain/tags.ts";
import { type CallContext, type Handler, handler } from "../http/handler.ts";
import type { SessionWaits } from "../jobs/session-waits.ts";
import { jobNoOfSequence, sessionNoOf, sessionNoOfSequence } from "../kinds/ids.ts";
import { notFound } from "../kinds/not-found.ts";
import type {
  AccountRow,
  BaselineStore,
  CheckRow,
  CheckStore,
  JobStore,
  ResultStore,
  SessionRow,
  SessionStore,
} from "../storage/storage.ts";
import { withGroupSettings } from "./apply-group-settings.ts";
import { sessionResultView, sessionView } from "./session-view.ts";
import { type StartDeps, startChecks } from "./start-checks.ts";

export interface CheckSessionDeps extends StartDeps {
  readonly checks: Pick<CheckStore, "activated">;
  readonly sessions: SessionStore;
  readonly results: Pick<ResultStore, "ofSession">;
  readonly jobs: Pick<JobStore, "cancel">;
  readonly baselines: Pick<BaselineStore, "forget">;
  readonly waits: Pick<SessionWaits, "until">;
  /** Base of links, without a slash at its end. */
  readonly publicUrl: () => string;
}

export function checkSessionHandlers(deps: CheckSessionDeps): readonly Handler[] {
  return [...triggerHandlers(deps), ...readHandlers(deps), cancelHandler(deps)];
}

function triggerHandlers(deps: CheckSessionDeps): readonly Handler[] {
  const trigger = async (
    { body }: { readonly body: TriggerRequest },
    { caller }: CallContext<"run">,
  ): Promise<{ sessions: CheckSession[] }> => {
    const checks = await matchingChecks(deps, caller.account, body);
    if (checks.length === 0) throw new AppError("not_found", "No activated check matches the target");
    if (body.updateSnapshots) await deps.baselines.forget(checks.map(({ id }) => id));
    const sessions = await startChecks(deps, caller.account.id, checks, "TRIGGER_API");
    return { sessions: sessions.map((session) => sessionView(session, deps.nowMs(), deps.publicUrl())) };
  };
  return [handler(triggerChecksV1, trigger), handler(triggerChecksV2, trigger)];
}

/** Activated checks that both the ids and the tags allow; what is omitted allows every check. Tags of a group count for its checks. */
async function matchingChecks(
  { checks, checkGroups }: CheckSessionDeps,
  account: AccountRow,
  { target = {} }: TriggerRequest,
): Promise<readonly CheckRow[]> {
  const ids = target.checkId === undefined ? undefined : new Set(target.checkId.map((id) => id.toLowerCase()));
  const activated = (await checks.activated(account.id)).filter(
    ({ uuid, locationIds }) => locationIds.length > 0 && (ids === undefined || ids.has(uuid)),
  );
  const { matchTags } = target;
  if (matchTags === undefined) return activated;
  const effective = await withGroupSettings(checkGroups, account.id, activated, null);
  return effective.filter(({ definition }) => matchesTags(matchTags, definition.tags));
}

function readHandlers(deps: CheckSessionDeps): readonly Handler[] {
  interface Addressed {
    readonly params: { readonly checkSessionId: string };
  }
  const read = async ({ params }: Addressed, { caller }: CallContext<"read">): Promise<CheckSessionWithResults> =>
    withResults(deps, await findSession(deps, caller.account, params.checkSessionId));

  const wait = async (
    { params, query }: Addressed & { readonly query: { readonly maxWaitSeconds: number } },
    { caller, signal }: CallContext<"read">,
  ): Promise<EndedCheckSession> => {
    const { no } = await findSession(deps, caller.account, params.checkSessionId);
    const ended = await deps.waits.until(no, query.maxWaitSeconds * 1000, signal, async () => {
      const session = await deps.sessions.byNo(caller.account.id, no);
      if (session === undefined) throw notFound("check session", params.checkSessionId);
      return isOver(session) ? session : undefined;
    });
    if (ended === undefined) throw new AppError("try_again", `The session has not ended within ${query.maxWaitSeconds} seconds; ask again`);
    // An ended status and the time of the end are written together.
    return (await withResults(deps, ended)) as EndedCheckSession;
  };

  return [
    handler(getCheckSessionV1, async (input, context) => asV1(await read(input, context))),
    handler(getCheckSessionV2, read),
    handler(awaitCheckSessionV1, async (input, context) => asV1(await wait(input, context))),
    handler(awaitCheckSessionV2, wait),
  ];
}

function cancelHandler(deps: CheckSessionDeps): Handler {
  return handler(cancelCheckSession, async ({ params: { checkSessionId }, body: { sequenceId } }, { caller }) => {
    const session = await findSession(deps, caller.account, checkSessionId);
    const only = sequenceId && jobsOfSequences(session, sequenceId);
    if (!isOver(session)) await deps.jobs.cancel(session.no, deps.nowMs(), only);
    return undefined;
  });
}

/** @throws {AppError} invalid_input for what names no run of the session */
function jobsOfSequences({ no: sessionNo }: SessionRow, sequenceIds: readonly string[]): ReadonlySet<number> {
  const problems = sequenceIds.flatMap((id, index) =>
    sessionNoOfSequence(id) === sessionNo
      ? []
      : [{ path: `sequenceId[${index}]`, message: `names no run of this session; received ${id}` }],
  );
  if (problems.length > 0) throw invalidInput(problems);
  return new Set(sequenceIds.flatMap((id) => jobNoOfSequence(id) ?? []));
}

async function findSession({ sessions }: CheckSessionDeps, account: AccountRow, id: string): Promise<SessionRow> {
  const no = sessionNoOf(id);
  const session = no === undefined ? undefined : await sessions.byNo(account.id, no);
  if (session === undefined) throw notFound("check session", id);
  return session;
}

async function withResults({ results, publicUrl, nowMs }: CheckSessionDeps, session: SessionRow): Promise<CheckSessionWithResults> {
  const rows = await results.ofSession(session);
  const base = publicUrl();
  return { ...sessionView(session, nowMs(), base), results: rows.map((row) => sessionResultView(session, row, base)) };
}

/** Nothing can follow. */
export function isOver({ status }: SessionRow): boolean {
  return hasEnded(SessionStatus.parse(status));
}

function asV1<S extends { readonly status: SessionStatus }>(session: S): S {
  return { ...session, status: v1Status(session.status) };
}
