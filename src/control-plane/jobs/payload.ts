import type { LeasedJob } from "#contract/agent-protocol.ts";
import { type CheckType, isScriptType } from "#contract/checks/index.ts";
import type { Logger } from "#daemon/logger.ts";
import { ttlCache } from "#domain/ttl-cache.ts";
import { WrittenJson } from "../http/handler.ts";
import { jobUuid, sequenceUuid, sessionUuid } from "../kinds/ids.ts";
import { openedProxyUrl } from "../secrets/location-proxy.ts";
import type { LeasedJobRow, LocationRow, LocationStore } from "../storage/storage.ts";
import { createMaterialBuilder, type MaterialDeps } from "./job-material.ts";
import { createJobParts, type JobParts } from "./job-parts.ts";
import { createPromptBuilder, type PromptDeps } from "./job-prompt.ts";
import type { RunSpans } from "./run-spans.ts";

export interface PayloadBuilder {
  /** The answer to a lease. `rest` are rows that would make it larger than agents read; the first one always fits. */
  leaseAnswer(rows: readonly LeasedJobRow[]): Promise<{ readonly answer: WrittenJson; readonly rest: readonly LeasedJobRow[] }>;
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
  const partsOf = createJobParts(deps);
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
    const payload = payloadOf(row, partsOf(row), location);
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
    async leaseAnswer(rows) {
      const built = await Promise.all(
        rows.map((row) =>
          leasedJob(row).catch((error: unknown) => {
            // One bad check must not keep the others from running. Its lease ends unacknowledged.
            deps.log.error({ checkId: row.check.uuid, err: error }, "could not lease a job");
            return null;
          }),
        ),
      );
      return written(rows, built, deps.runSpans ?? null);
    },
  };
}

/** @param built of each row its job, or null */
function written(rows: readonly LeasedJobRow[], built: readonly (LeasedJob | null)[], runSpans: RunSpans | null) {
  let characters = 0;
  const [jobs, rest]: [string[], LeasedJobRow[]] = [[], []];
  for (const [index, row] of rows.entries()) {
    const job = built[index];
    if (job === undefined || job === null) continue;
    const text = JSON.stringify(job);
    characters += text.length;
    if (jobs.length > 0 && characters > maxAnswerCharacters) {
      rest.push(row);
      continue;
    }
    const traced = runSpans?.handedOut(job) ?? job;
    jobs.push(traced === job ? text : JSON.stringify(traced));
  }
  return { answer: new WrittenJson([Buffer.from(`{"jobs":[${jobs.join(",")}]}`)], jobs.length), rest };
}

function payloadOf(row: LeasedJobRow, parts: JobParts, location: LocationRow): LeasedJob["payload"] {
  const { check } = row;
  const { retryStrategy: tested } = row.testSession ?? {};
  const retryStrategy = tested === undefined ? parts.retryStrategy : tested;
  return {
    accountId: row.accountUuid,
    checkId: check.uuid,
    checkName: parts.checkName,
    checkType: parts.checkType,
    groupId: row.group === null ? null : check.groupId,
    tags: parts.tags,
    checkSessionId: sessionUuid({ no: row.sessionNo, runAtMs: row.runAtMs }),
    sequenceId: sequenceUuid({ jobNo: row.no, runAtMs: row.runAtMs }),
    checkRunId: row.runAtMs,
    runLocation: location.code,
    runtimeId: parts.runtimeId ?? row.accountRuntimeId,
    settings: parts.settings,
    retryStrategy,
    retriesElsewhere: row.testSession === null && retryStrategy?.sameRegion === false && check.locationIds.length > 1 && !parts.runParallel,
    failedAttempts: row.failedAttempts,
    elapsedMs: row.firstStartedAtMs === null ? 0 : Math.max(0, row.leasedAtMs - row.firstStartedAtMs),
    proxyUrl: location.proxyUrl,
    ...(row.isAwaited && { isAwaited: true }),
    ...watched(row, parts.checkType),
  };
}

/** Somebody waits for what a test session comes to. */
function watched({ testSession }: LeasedJobRow, type: CheckType): Pick<LeasedJob["payload"], "isWatched"> {
  return testSession !== null && isScriptType(type) ? { isWatched: true } : {};
}
