import { type CheckGroupCreate, type CheckGroupCreateV2, createCheckGroupV1, createCheckGroupV2 } from "#contract/check-groups.ts";
import { type CheckCreate, storedCheckTypes } from "#contract/checks/stored-types.ts";
import {
  awaitScheduling,
  type CheckRunJob,
  type RepoInfo,
  type RunTestSession,
  runTestSession,
  runTestSessionV0,
  type StartedTestSession,
  type TriggerStoredChecks,
  triggerStoredChecks,
} from "#contract/code-sessions.ts";
import type { TestSessionMetadata } from "#contract/test-sessions.ts";
import { AppError, hasCode } from "#domain/app-error.ts";
import { type InputProblem, invalidInput } from "#domain/invalid-input.ts";
import { type CallContext, type Handler, handler } from "../http/handler.ts";
import { parsePart } from "../http/validation.ts";
import { sequenceUuid, testResultUuid, testSessionUuid } from "../kinds/ids.ts";
import { instant } from "../kinds/instants.ts";
import { sealedVariables, withSealedSecrets } from "../secrets/definition-secrets.ts";
import type { AccountRow, DocumentStore, ProjectStore, TestedCheck, TestSessionRow, Trial } from "../storage/storage.ts";
import { unstoredGroup } from "./check-groups.ts";
import { withSharedFiles } from "./shared-files.ts";
import { findRunLocation, findTestSession, matchingChecks, type TestSessionDeps } from "./test-sessions.ts";
import { type TrialCheckDeps, trialCheck } from "./trial-check.ts";

export interface CodeSessionDeps extends TestSessionDeps, TrialCheckDeps {
  readonly documents: Pick<DocumentStore, "byIds" | "byUuids">;
  readonly projects: Pick<ProjectStore, "find">;
  readonly sealing: TestSessionDeps["sealing"] & TrialCheckDeps["sealing"];
}

/** Test sessions of the public command line: of checks as its project has them, and of stored ones. */
export function codeSessionHandlers(deps: CodeSessionDeps): readonly Handler[] {
  const run = async (
    { body }: { readonly body: RunTestSession },
    { caller: { account } }: CallContext<"write">,
  ): Promise<StartedTestSession> => {
    const session = await startJobs(deps, account, body);
    const names = body.checkRunJobs.map(({ logicalId }) => logicalId);
    return { schedulingId: testSessionUuid(session), ...startedView(session, names) };
  };
  return [
    handler(runTestSession, run),
    handler(runTestSessionV0, run),
    handler(awaitScheduling, async ({ params: { schedulingId } }, { caller }) => {
      const session = await findTestSession(deps, caller.account.id, schedulingId);
      const atMs = instant(session.startedAtMs);
      return {
        schedulingId: testSessionUuid(session),
        testSessionId: session.definition.isUnrecorded === true ? null : testSessionUuid(session),
        status: "SUCCEEDED" as const,
        checksTotal: session.runs.length,
        error: null,
        createdAt: atMs,
        startedAt: atMs,
        endedAt: atMs,
      };
    }),
    handler(triggerStoredChecks, async ({ body }, { caller: { account } }) => {
      const session = await trigger(deps, account, body);
      const checks = session.runs.map(({ check: { uuid, name, type } }) => ({ id: uuid ?? "", name, checkType: type }));
      return {
        checks,
        ...startedView(
          session,
          checks.map(({ id }) => id),
        ),
      };
    }),
  ];
}

/** @param names of its runs, in their order, as the client knows them */
function startedView(session: TestSessionRow, names: readonly string[]): Omit<StartedTestSession, "schedulingId"> {
  const runAtMs = session.startedAtMs;
  const idsBy = (idOf: (run: { readonly jobNo: number; readonly runAtMs: number }) => string): Record<string, string> =>
    Object.fromEntries(session.runs.map(({ jobNo }, index) => [names[index] ?? "", idOf({ jobNo, runAtMs })]));
  const sequenceIds = idsBy(sequenceUuid);
  if (session.definition.isUnrecorded === true) return { testResultIds: {}, sequenceIds };
  return { testSessionId: testSessionUuid(session), testResultIds: idsBy(testResultUuid), sequenceIds };
}

async function startJobs(deps: CodeSessionDeps, account: AccountRow, body: RunTestSession): Promise<TestSessionRow> {
  const { checkRunJobs, project } = body;
  refuseUnlike(checkRunJobs);
  const location = await findRunLocation(deps, account.id, codeOf(body.runLocation));
  const trials: Trial[] = [];
  for (const [index, job] of checkRunJobs.entries()) {
    trials.push(await namingJob(index, job, () => trialOf(deps, account, job, body)));
  }
  const owner = project == null ? undefined : await deps.projects.find(account.id, project.logicalId);
  return deps.testSessions.createTrials({
    accountId: account.id,
    locationId: location.id,
    name: body.name,
    definition: {
      metadata: metadataOf(body),
      projectUuid: owner?.uuid ?? null,
      retryStrategy: checkRunJobs[0]?.testRetryStrategy ?? null,
      environmentVariables: [],
      isUnrecorded: !body.shouldRecord,
      tellsLogs: body.streamLogs ?? false,
      updatesSnapshots: checkRunJobs.some(({ sourceInfo }) => sourceInfo.updateSnapshots === true),
    },
    trials,
    suite: checkRunJobs[0]?.sourceInfo.checkRunSuiteId ?? null,
    nowMs: deps.nowMs(),
  });
}

/** One test session has one suite and one retry strategy; its checks have names that differ. @throws {AppError} invalid_input */
function refuseUnlike(jobs: readonly CheckRunJob[]): void {
  const [first] = jobs;
  const retries = JSON.stringify(first?.testRetryStrategy ?? null);
  const names = new Set<string>();
  const problems = jobs.flatMap(({ logicalId, sourceInfo, testRetryStrategy }, index): InputProblem[] => {
    const path = `checkRunJobs[${index}]`;
    const isRepeated = names.has(logicalId);
    names.add(logicalId);
    return [
      ...(isRepeated ? [{ path: `${path}.logicalId`, message: `names "${logicalId}" again; name each check once` }] : []),
      ...(sourceInfo.checkRunSuiteId === first?.sourceInfo.checkRunSuiteId
        ? []
        : [{ path: `${path}.sourceInfo.checkRunSuiteId`, message: "must be the same for all checks" }]),
      ...(JSON.stringify(testRetryStrategy ?? null) === retries
        ? []
        : [{ path: `${path}.testRetryStrategy`, message: "must be the same for all checks" }]),
    ];
  });
  if (problems.length > 0) throw invalidInput(problems);
}

async function trialOf(deps: CodeSessionDeps, account: AccountRow, job: CheckRunJob, { sharedFiles }: RunTestSession): Promise<Trial> {
  const { group: groupBody, sourceInfo, filePath } = job;
  const [uuid, groupUuid] = [crypto.randomUUID(), crypto.randomUUID()];
  const body = parsePart(storedCheckTypes[job.checkType].create, ownPart(withSharedFiles(job, sharedFiles ?? []))) as CheckCreate;
  const check = withSealedSecrets(body, undefined, deps.sealing, { kind: "check", accountId: account.id, row: uuid });
  const group =
    groupBody == null ? undefined : { uuid: groupUuid, settings: await unstoredGroup(deps, account.id, groupUuid, groupOf(groupBody)) };
  return { check: await trialCheck(deps, account, { uuid, check, group }), isStored: false, clientRunId: sourceInfo.checkRunId, filePath };
}

/** Without what refers to other objects of the project: it runs once, here, and nobody is told. */
const notItsOwn = new Set(["groupId", "alertChannelSubscriptions", "alertChannels", "triggerIncident", "locations", "privateLocations"]);

function ownPart(job: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(job).filter(([name]) => !notItsOwn.has(name)));
}

function groupOf(given: Readonly<Record<string, unknown>>): CheckGroupCreate | CheckGroupCreateV2 {
  const body = ownPart(given);
  const parsed = given["v"] === 2 ? parsePart(createCheckGroupV2.body, body) : parsePart(createCheckGroupV1.body, body);
  return parsed as CheckGroupCreate | CheckGroupCreateV2; // there is a schema
}

/** Whoever reads an error finds the check in the request, and in the code. */
async function namingJob<T>(index: number, { logicalId }: CheckRunJob, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!hasCode(error, "invalid_input")) throw error;
    const { issues = [] } = error.attributes as { readonly issues?: readonly InputProblem[] };
    const placed = issues.map(({ path, message }) => ({ path: `checkRunJobs[${index}].${path}`, message }));
    throw new AppError("invalid_input", `check "${logicalId}": ${error.message}`, { cause: error, attributes: { issues: placed } });
  }
}

async function trigger(deps: CodeSessionDeps, account: AccountRow, body: TriggerStoredChecks): Promise<TestSessionRow> {
  const location = await findRunLocation(deps, account.id, codeOf(body.runLocation));
  const checks = await chosenChecks(deps, account.id, body);
  const variables = body.environmentVariables.map((variable) => ({ ...variable, locked: true, secret: false }));
  const owner = { kind: "test-session", accountId: account.id, row: "" };
  return deps.testSessions.create({
    accountId: account.id,
    locationId: location.id,
    name: body.name,
    definition: {
      metadata: metadataOf(body),
      retryStrategy: body.testRetryStrategy ?? null,
      environmentVariables: sealedVariables(variables, [], deps.sealing, owner),
      isUnrecorded: !body.shouldRecord,
    },
    checks,
    suite: body.checkRunSuiteId,
    nowMs: deps.nowMs(),
  });
}

/** @throws {AppError} forbidden where there is none, as this client expects */
async function chosenChecks(
  deps: CodeSessionDeps,
  accountId: number,
  { targetTags, checkId }: TriggerStoredChecks,
): Promise<readonly TestedCheck[]> {
  const target = {
    allowDeactivated: false,
    ...(checkId != null && { checkId }),
    ...(targetTags.length > 0 && { matchTags: targetTags }),
  };
  try {
    return await matchingChecks(deps, accountId, target);
  } catch (error) {
    if (!hasCode(error, "not_found")) throw error;
    throw new AppError("forbidden", error.message, { cause: error, attributes: { errorCode: "ERR_NO_MATCHING_CHECKS" } });
  }
}

function codeOf(location: RunTestSession["runLocation"]): string {
  if (typeof location === "string") return location;
  return location.type === "PUBLIC" ? location.region : location.slugName;
}

const longestSaid = 2_000;

function metadataOf({
  repoInfo,
  environment,
}: {
  readonly repoInfo?: RepoInfo;
  readonly environment?: string | null | undefined;
}): TestSessionMetadata {
  const cut = (text: string | null | undefined): string | null | undefined => text?.slice(0, longestSaid).toWellFormed();
  return {
    ...(environment != null && environment !== "" && { environment }),
    ...(repoInfo != null && {
      repoUrl: cut(repoInfo.repoUrl),
      commitId: cut(repoInfo.commitId),
      commitOwner: cut(repoInfo.commitOwner),
      commitMessage: cut(repoInfo.commitMessage),
      branchName: cut(repoInfo.branchName),
    }),
  };
}
