import { z } from "zod";
import type { LeasedJob } from "#contract/agent-protocol.ts";
import { type CheckType, checkTypes, isCheckType, isScriptType } from "#contract/checks/index.ts";
import { RetryStrategy } from "#contract/checks/retry-strategy.ts";
import type { Logger } from "#daemon/logger.ts";
import { effectiveCheck } from "#domain/effective-check.ts";
import { effectiveRetryStrategy } from "#domain/retry.ts";
import { ttlCache } from "#domain/ttl-cache.ts";
import { jobUuid, sequenceUuid, sessionUuid } from "../kinds/ids.ts";
import { openedDefinition, openedSettings } from "../secrets/definition-secrets.ts";
import { openedProxyUrl } from "../secrets/location-proxy.ts";
import type { LeasedJobRow, LocationRow, LocationStore } from "../storage/storage.ts";
import { createMaterialBuilder, type MaterialDeps } from "./job-material.ts";
import { createPromptBuilder, type PromptDeps } from "./job-prompt.ts";
import { createLostSecretLog, type LostSecretLog } from "./kept-secrets.ts";
import type { RunSpans } from "./run-spans.ts";

export interface PayloadBuilder {
  /** `rest` are rows that would make the answer larger than agents read; the first one always fits. */
  leasedJobs(rows: readonly LeasedJobRow[]): Promise<{ readonly jobs: LeasedJob[]; readonly rest: readonly LeasedJobRow[] }>;
}

/** Of one answer, as JSON. An agent reads 64 MiB, and a character may have three bytes. */
const maxAnswerCharacters = 16_777_216;

/** Builds what an agent gets when it leases jobs. Made then and not when the run starts, so that it says what the check is now. */
export function createPayloadBuilder(
  deps: MaterialDeps &
    PromptDeps & {
      readonly locations: Pick<LocationStore, "byId">;
      readonly leaseMs: number;
      /** Null: nobody is told of traces. */
      readonly runSpans?: RunSpans | null;
      readonly log: Logger;
    },
): PayloadBuilder {
  const materialOf = createMaterialBuilder(deps);
  const promptOf = createPromptBuilder(deps);
  const sayLost = createLostSecretLog(deps);
  const locationById = ttlCache<LocationRow>({ ttlMs: 5_000, maxEntries: 10_000, nowMs: deps.nowMs }, async (id) => {
    const row = await deps.locations.byId(Number(id));
    return row && { ...row, proxyUrl: reachableProxy(row) };
  });

  /** @throws {Error} rather than let its checks go out without the proxy */
  function reachableProxy(row: LocationRow): string | null {
    const opened = openedProxyUrl(row.proxyUrl, deps.sealing, row);
    if (opened === null && row.proxyUrl !== null) throw new Error(`proxyUrl of location ${row.code} cannot be opened: set it again`);
    return opened;
  }

  async function leasedJob(row: LeasedJobRow): Promise<LeasedJob> {
    const location = await locationById.get(String(row.locationId));
    if (location === undefined) throw new Error(`location ${row.locationId} of a job is gone`);
    const payload = payloadOf(opened(row, deps.sealing, sayLost), location);
    const materialJob = { ...row, proxyUrl: location.proxyUrl };
    const [material, ofPrompt] = await Promise.all([materialOf(materialJob, payload.settings), promptOf(materialJob, payload.settings)]);
    return {
      jobId: jobUuid(row),
      attempt: row.attempt,
      fence: row.fence,
      leaseSeconds: deps.leaseMs / 1000,
      queuedMs: Math.max(0, row.leasedAtMs - row.dueAtMs),
      leasedAt: row.leasedAtMs,
      payload: { ...payload, ...ofPrompt, ...(material !== undefined && { material }) },
    };
  }

  return {
    async leasedJobs(rows) {
      const built = await Promise.all(
        rows.map((row) =>
          leasedJob(row).catch((error: unknown) => {
            // One bad check must not keep the others from running. Its lease ends unacknowledged.
            deps.log.error({ checkId: row.check.uuid, err: error }, "could not lease a job");
            return null;
          }),
        ),
      );
      let characters = 0;
      const [jobs, rest]: [LeasedJob[], LeasedJobRow[]] = [[], []];
      for (const [index, row] of rows.entries()) {
        const job = built[index];
        if (job === undefined || job === null) continue;
        characters += JSON.stringify(job).length;
        if (jobs.length > 0 && characters > maxAnswerCharacters) rest.push(row);
        else jobs.push(deps.runSpans?.handedOut(job) ?? job);
      }
      return { jobs, rest };
    },
  };
}

/** Each secret is bound to the check or the group that it comes from, so they are opened before the two become one. */
function opened(row: LeasedJobRow, sealing: MaterialDeps["sealing"], sayLost: LostSecretLog): LeasedJobRow {
  const { check, group, groupUuid } = row;
  const { accountId } = check;
  const definition = openedDefinition(check.definition, sealing, { kind: "check", accountId, row: check.uuid }, sayLost);
  const owner = { kind: "check-group", accountId, row: groupUuid ?? "" };
  return { ...row, check: { ...check, definition }, group: group && openedSettings(group, sealing, owner, sayLost) };
}

/** The part of a definition that retries follow from. */
const RetrySettings = z.object({ retryStrategy: RetryStrategy.nullable().optional(), doubleCheck: z.boolean().optional() });

function payloadOf(row: LeasedJobRow, location: LocationRow): LeasedJob["payload"] {
  const { check } = row;
  const definition = effectiveCheck(row.group, check.type, check.definition);
  if (!isCheckType(check.type)) throw new Error(`check type ${check.type} does not run`);
  const { retryStrategy: tested } = row.testSession ?? {};
  const retryStrategy = tested === undefined ? effectiveRetryStrategy(RetrySettings.parse(definition)) : tested;
  return {
    accountId: row.accountUuid,
    checkId: check.uuid,
    checkName: definition.name,
    checkType: check.type,
    groupId: row.group === null ? null : check.groupId,
    tags: [...definition.tags],
    checkSessionId: sessionUuid({ no: row.sessionNo, runAtMs: row.runAtMs }),
    sequenceId: sequenceUuid({ jobNo: row.no, runAtMs: row.runAtMs }),
    checkRunId: row.runAtMs,
    runLocation: location.code,
    runtimeId: typeof definition["runtimeId"] === "string" ? definition["runtimeId"] : row.accountRuntimeId,
    settings: checkTypes[check.type].settings.parse(definition),
    retryStrategy,
    retriesElsewhere:
      row.testSession === null && retryStrategy?.sameRegion === false && check.locationIds.length > 1 && !definition.runParallel,
    failedAttempts: row.failedAttempts,
    elapsedMs: row.firstStartedAtMs === null ? 0 : Math.max(0, row.leasedAtMs - row.firstStartedAtMs),
    proxyUrl: location.proxyUrl,
    ...watched(row, check.type),
  };
}

/** Somebody waits for what a test session comes to. */
function watched({ testSession }: LeasedJobRow, type: CheckType): Pick<LeasedJob["payload"], "isWatched"> {
  return testSession !== null && isScriptType(type) ? { isWatched: true } : {};
}
