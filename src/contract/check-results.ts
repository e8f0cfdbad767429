import { z } from "zod";
import { AgenticCheckResult } from "./checks/agentic.ts";
import { ApiCheckResult } from "./checks/api.ts";
import { BrowserCheckResult } from "./checks/browser.ts";
import { DnsCheckResult } from "./checks/dns.ts";
import { GrpcCheckResult } from "./checks/grpc.ts";
import { IcmpCheckResult } from "./checks/icmp.ts";
import { MultiStepCheckResult } from "./checks/multi-step.ts";
import { PlaywrightCheckResult } from "./checks/playwright.ts";
import { SslCheckResult } from "./checks/ssl.ts";
import { TcpCheckResult } from "./checks/tcp.ts";
import { TracerouteCheckResult } from "./checks/traceroute.ts";
import { exampleIds } from "./example-ids.ts";
import { DataCenterLocation } from "./locations.ts";
import type { Operation } from "./operation.ts";
import {
  absentWhereEmpty,
  CheckTypeName,
  Instant,
  Limit,
  Page,
  PathId,
  QueryBoolean,
  QueryTime,
  queryList,
  Uuid,
  UuidPathId,
} from "./primitives.ts";
import { SlugName } from "./private-locations.ts";

/** FINAL ends a run at a location; ATTEMPT failed and was retried; MISSED never started (behaviour 5). No result is ALL: a filter's word (reference). */
export const ResultType = z.enum(["FINAL", "ATTEMPT", "ALL", "MISSED"]);
export type ResultType = z.infer<typeof ResultType>;

/** Why a run never started. */
export const MissedReason = z.enum(["no_agent", "no_capacity", "expired", "agent_lost", "overlap"]);
export type MissedReason = z.infer<typeof MissedReason>;

/** What one attempt saw of a path, and how it differs from the one before: agents know nothing of that. */
export const ComparedPath = TracerouteCheckResult.extend({
  pathChange: z
    .string()
    .nullable()
    .optional()
    .describe(
      "what is another way than in the last final result at the same location whose path can be compared; null where nothing is. Told only where one result is read",
    ),
}).meta({ id: "TracerouteCheckResult" });
export type ComparedPath = z.infer<typeof ComparedPath>;

export const AssetType = z.enum(["log", "trace", "video", "screenshot", "pcap", "report", "file"]);

/** A stored file of a result. */
export const ResultAsset = z
  .object({ type: AssetType, name: z.string().min(1), url: z.url(), contentType: z.string().min(1).optional() })
  .meta({ id: "ResultAsset" });
export type ResultAsset = z.infer<typeof ResultAsset>;

/** One attempt of a run at one location, or a run that was missed (spec 2.12, behaviour 3). */
export const CheckResult = z
  .object({
    id: Uuid,
    name: z.string().describe("name of the check when it ran"),
    checkId: Uuid,
    hasFailures: z.boolean().describe("an assertion or a threshold failed"),
    hasErrors: z.boolean().describe("the run itself went wrong"),
    isDegraded: z.boolean(),
    isCancelled: z.boolean(),
    overMaxResponseTime: z.boolean(),
    runLocation: z.string().describe("data center location or slug name of a private location"),
    startedAt: Instant.nullable().describe("null when missed"),
    stoppedAt: Instant.nullable().describe("null when missed"),
    created_at: Instant,
    responseTime: z.int().describe("milliseconds; 0 when missed"),
    apiCheckResult: ApiCheckResult.nullable(),
    browserCheckResult: BrowserCheckResult.nullable(),
    multiStepCheckResult: MultiStepCheckResult.nullable(),
    agenticCheckResult: AgenticCheckResult.nullable(),
    playwrightCheckResult: PlaywrightCheckResult.nullable(),
    tracerouteCheckResult: ComparedPath.nullable(),
    grpcCheckResult: GrpcCheckResult.nullable(),
    sslCheckResult: SslCheckResult.nullable(),
    tcpCheckResult: TcpCheckResult.nullable(),
    dnsCheckResult: DnsCheckResult.nullable(),
    icmpCheckResult: IcmpCheckResult.nullable(),
    checkRunId: z.int().describe("epoch milliseconds of the run's start"),
    attempts: z.int().describe("number of this attempt within the run"),
    resultType: ResultType,
    sequenceId: Uuid.nullable().describe("shared by all attempts of one run"),
    traceId: z.string().nullable(),
    errorGroupIds: z.array(Uuid),
    queuedMs: z.number().describe("from due until started"),
    eventLoopDelayMs: z.number().describe("the agent's worst event-loop delay during the attempt"),
    agentSide: z.boolean().describe("the agent's own side spoiled the attempt; says nothing about the target"),
    late: z
      .boolean()
      .describe(
        "stored after a newer result of its check at its location, as when an agent had no contact: it counts in figures, and tells nobody",
      ),
    errorMessage: z
      .string()
      .nullable()
      .describe("what failed, or why the run is degraded, in a sentence; also where no check ran, as when an agent was lost"),
    missedReason: MissedReason.nullable(),
    assets: z.array(ResultAsset),
  })
  .meta({ id: "CheckResult" });
export type CheckResult = z.infer<typeof CheckResult>;

/** The part of a result that `fields` selects. `createdAt` is `created_at` under the name some clients ask for. */
export const CheckResultProjection = CheckResult.partial().extend({ createdAt: Instant.optional() }).meta({ id: "CheckResultProjection" });
export type CheckResultProjection = z.infer<typeof CheckResultProjection>;

export const resultFields = [...CheckResult.keyof().options, "createdAt"] as const;

/** A page of the cursor list (spec 4.5); `nextId` null ends it. */
export const CheckResultList = z
  .object({
    length: z.int().describe("entries in this answer"),
    entries: z.array(z.union([CheckResult, CheckResultProjection])),
    nextId: z.string().nullable(),
  })
  .meta({ id: "CheckResultList" });
export type CheckResultList = z.infer<typeof CheckResultList>;

const filters = {
  limit: Limit,
  from: QueryTime.optional().describe("at or after; unix timestamp (seconds or milliseconds), ISO day (UTC) or instant"),
  to: QueryTime.optional().describe("before; unix timestamp (seconds or milliseconds), ISO day (UTC) or instant"),
  location: z.union([DataCenterLocation, SlugName]).optional().describe("data center location or slug name of a private location"),
  checkType: CheckTypeName.optional(),
  hasFailures: QueryBoolean.optional(),
  resultType: z.enum(["FINAL", "ATTEMPT", "ALL", "MISSED"]).default("FINAL").describe("missed runs come only with ALL and MISSED"),
};

/** Filters of the cursor list (spec 4.5). */
export const CheckResultListQuery = z.object({
  ...filters,
  nextId: absentWhereEmpty(z.string()).describe("cursor from the answer before"),
  fields: queryList(z.enum(resultFields)).optional().describe("only these fields of each entry"),
});
export type CheckResultListQuery = z.output<typeof CheckResultListQuery>;

/** Filters of the v1 list. */
export const CheckResultPageQuery = z.object({ ...filters, page: Page });
export type CheckResultPageQuery = z.output<typeof CheckResultPageQuery>;

const common = { tag: "Check results", method: "GET", access: "read", successStatus: 200 } as const;

export const listCheckResultsV2 = {
  ...common,
  id: "listCheckResultsV2",
  path: "/v2/check-results/{checkId}",
  summary: "List the results of a check, newest first, by cursor",
  description:
    "Newest first by the start of the run. `nextId` of an answer goes on where it ended. Only FINAL results unless `resultType` says otherwise; results older than RESULTS_KEEP_DAYS are gone.",
  example: {
    params: { checkId: exampleIds.check },
    query: { limit: 20, resultType: "ALL", fields: ["id", "startedAt", "responseTime", "hasFailures"] },
  },
  rateLimit: "results",
  params: z.object({ checkId: UuidPathId }),
  query: CheckResultListQuery,
  output: CheckResultList,
} as const satisfies Operation;

export const listCheckResultsV1 = {
  ...common,
  id: "listCheckResultsV1",
  path: "/v1/check-results/{checkId}",
  summary: "List the results of a check, newest first, by page",
  description: "Newest first by the start of the run. A page far from the first one is slow to reach; the list of v2 is not.",
  example: { params: { checkId: exampleIds.check }, query: { limit: 10, page: 1, hasFailures: false } },
  rateLimit: "standard",
  params: z.object({ checkId: UuidPathId }),
  query: CheckResultPageQuery,
  output: z.array(CheckResult),
  paged: true,
} as const satisfies Operation;

export const getCheckResult = {
  ...common,
  id: "getCheckResult",
  path: "/v1/check-results/{checkId}/{checkResultId}",
  summary: "Read a result",
  description:
    "The member of the check's type (`apiCheckResult`, `tcpCheckResult` and so on) tells what was sent and seen; the others are null. Bodies are kept up to 256 KB.",
  example: { params: { checkId: exampleIds.check, checkResultId: exampleIds.result } },
  rateLimit: "standard",
  params: z.object({ checkId: UuidPathId, checkResultId: UuidPathId }),
  output: CheckResult,
} as const satisfies Operation;

/** Where an asset comes from. Test sessions and archives do not exist here; they are declared because existing clients read them. */
const AssetSource = z.object({
  type: z.enum(["check-result", "test-session-result"]),
  checkId: Uuid.optional(),
  checkName: z.string().min(1).optional(),
  checkType: z.string().min(1).optional(),
  resultId: Uuid.optional(),
  testSessionId: Uuid.optional(),
});

/** All that is stored beside a result. The urls need the same key as this list. */
export const AssetManifest = z
  .object({
    assets: z.array(
      ResultAsset.extend({ source: AssetSource, archive: z.object({ entryName: z.string().min(1) }).optional() }).meta({
        id: "AssetManifestEntry",
      }),
    ),
    truncated: z.boolean().optional(),
    entriesReturned: z.int().min(0).optional(),
    entriesTotal: z.int().min(0).optional(),
  })
  .meta({ id: "AssetManifest" });
export type AssetManifest = z.infer<typeof AssetManifest>;

export const listCheckResultAssets = {
  ...common,
  id: "listCheckResultAssets",
  path: "/v1/check-results/{checkId}/{checkResultId}/assets",
  summary: "List the files of a result",
  description: "What was kept beside the result: captures and transcripts of failed attempts, and what scripts stored.",
  example: { params: { checkId: exampleIds.check, checkResultId: exampleIds.result }, query: { type: ["log", "pcap"] } },
  rateLimit: "standard",
  params: z.object({ checkId: UuidPathId, checkResultId: UuidPathId }),
  query: z.object({
    type: queryList(AssetType).optional(),
    name: z.string().max(200).optional().describe("part of the name, or a pattern of the whole with * and ?"),
  }),
  output: AssetManifest,
} as const satisfies Operation;

export const getCheckResultAsset = {
  ...common,
  id: "getCheckResultAsset",
  path: "/v1/check-results/{checkId}/{checkResultId}/assets/{name}",
  summary: "Download a file of a result",
  description: "The file as it was stored, under its own content type; to be saved, never shown in a browser.",
  example: { params: { checkId: exampleIds.check, checkResultId: exampleIds.result, name: "traceroute.log" } },
  rateLimit: "standard",
  params: z.object({ checkId: UuidPathId, checkResultId: UuidPathId, name: PathId }),
  file: true,
} as const satisfies Operation;

export const checkResultOperations = [
  listCheckResultsV2,
  listCheckResultsV1,
  getCheckResult,
  listCheckResultAssets,
  getCheckResultAsset,
] as const;
