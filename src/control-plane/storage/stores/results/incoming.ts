import { hash } from "node:crypto";
import type { AttemptReport } from "#contract/agent-protocol.ts";
import { checkTypes, isCheckType, isTestedType, type ResultOf, type TestedType } from "#contract/checks/index.ts";
import { PlaywrightCheckResult } from "#contract/checks/playwright.ts";
import { isSuite } from "#contract/checks/traits.ts";
import { furthestDays, type SeenCertificate, seenCertificate } from "#domain/alerting/seen-certificate.ts";
import { type CleanedError, cleanError } from "#domain/error-message.ts";
import { partsOf } from "#domain/ids.ts";
import { type PageFigures, pageFigures } from "#domain/page-figures.ts";
import { type ScriptEnd, scriptEnd, suiteFailures } from "#domain/script-failure.ts";
import { testOutcomes } from "#domain/test-outcomes.ts";
import { attemptsOfJob, missedAttempt, resultId } from "../../numbers.ts";
import type { AgentSessionRow, NewAsset } from "../../storage.ts";
import { flag, microseconds, type NewResult, type StoredDetail, thousandths } from "./result-rows.ts";
import { packedTests } from "./suite-runs.ts";

/** One report on its way in: which job it names, and its text, made once for storing and for telling reports apart. */
export interface Incoming {
  readonly agent: AgentSessionRow;
  /** Without its detail, which is text already: what a batch holds while it waits is what the garbage collector has to copy. */
  readonly report: Omit<AttemptReport, "detail" | "evidence">;
  readonly assets: readonly NewAsset[];
  /** Of a browser. */
  readonly pages: readonly PageFigures[];
  /** Of a suite that came to a test, packed; null of those that say nothing about their tests. */
  readonly tests: Uint8Array | null;
  readonly sslDaysRemaining: number | null;
  readonly certificate: SeenCertificate | null;
  /** Of an HTTP answer. */
  readonly statusText: string | null;
  /** Of a script that failed. */
  readonly scriptEnd: ScriptEnd | null;
  /** Null when the report is no failure of the target at the end of a run. */
  readonly failure: ReportedFailure | null;
  /** What else failed, in a suite. */
  readonly otherFailures: readonly ReportedFailure[];
  /** What failed or degraded, as it may be stored. */
  readonly errorText: string | null;
  /** Undefined when the report must not be looked at: its id is none of ours, its attempt out of bounds or its detail too long. */
  readonly jobNo: number | undefined;
  /** Null when the report has neither detail nor error. */
  readonly detailText: string | null;
  readonly digest: number;
}

type ReportedFailure = CleanedError & { readonly rawMessage: string };

/** A report that names a job of ours, as far as its id can tell. */
export type Numbered = Incoming & { readonly jobNo: number };

/** Characters of one report's detail: bodies are stored up to 256 KB, and logs, headers and base64 come on top. */
const maxDetailLength = 4_000_000;

const longestStatusText = 200;
const longestStep = 500;

/** Reads a report. Costs as much as the report is long, and happens once, before any transaction. */
export function incoming(agent: AgentSessionRow, report: AttemptReport): Incoming {
  const { detail, evidence = [], ...rest } = report;
  const stored: StoredDetail = { errorMessage: report.errorMessage, detail: detail ?? null };
  const text = JSON.stringify(stored);
  const detailText = stored.errorMessage === null && stored.detail === null ? null : text;
  const readable = text.length <= maxDetailLength && report.attempt > missedAttempt && report.attempt < attemptsOfJob;
  const failure = failureOf(report);
  const jobNo = readable ? partsOf(report.jobId)?.n : undefined;
  return {
    agent,
    report: rest,
    assets: evidence.map(({ data, ...file }) => ({ ...file, body: Buffer.from(data, "base64") })),
    pages: pageFigures(detail),
    tests: testsOf(report),
    sslDaysRemaining: sslDaysRemaining(detail),
    certificate: seenCertificate(detail),
    statusText: statusText(detail),
    scriptEnd: scriptEndOf(report.checkType, report.detail),
    failure,
    otherFailures: failure === null ? [] : otherFailuresOf(report),
    errorText: report.errorMessage === null ? null : storable(report.errorMessage),
    jobNo,
    detailText,
    digest: digestOf(JSON.stringify(rest) + text),
  };
}

/** Null of a report that says nothing about its tests. */
function testsOf({ isCancelled, agentSide, checkType, detail }: AttemptReport): Incoming["tests"] {
  return isCancelled || agentSide || !isCheckType(checkType) ? null : packedTests(testOutcomes(checkType, detail));
}

/** 48 bits: enough to tell two reports of one attempt apart, and a safe integer; never `lostDigest`. */
function digestOf(text: string): number {
  return Number.parseInt(hash("sha256", text).slice(0, 12), 16) || 1;
}

/** Agents are not trusted: times lie within the run, and the stop is not before the start. */
export function resultOf(
  { report, assets, jobNo, digest }: Numbered,
  run: { readonly checkId: number; readonly runAtMs: number },
  locationId: number,
  nowMs: number,
): NewResult {
  const { checkId, runAtMs } = run;
  const startedAtMs = Math.min(Math.max(report.startedAt, runAtMs), nowMs);
  const stoppedAtMs = Math.min(Math.max(report.stoppedAt, startedAtMs), nowMs);
  const startedAtUs = Math.round(startedAtMs * 1_000);
  return {
    checkId,
    startedAtUs,
    id: resultId(jobNo, report.attempt),
    type: report.resultType,
    locationId,
    status: report.statusCode ?? 0,
    flags: flagsOf(report) | (assets.length > 0 ? flag.assets : 0),
    responseTimeUs: microseconds(report.responseTimeMs),
    durationUs: microseconds(stoppedAtMs - startedAtMs),
    metrics: metricsOf(report),
    runAtMs,
    createdAtMs: nowMs,
    queuedMs: Math.min(Math.round(report.queuedMs), 0x7fff_ffff),
    loopDelayUs: microseconds(report.loopDelayMs),
    digest,
    errorGroup: null,
  };
}

function flagsOf(report: Incoming["report"]): number {
  return (
    (report.hasFailures ? flag.failures : 0) |
    (report.hasErrors ? flag.errors : 0) |
    (report.isDegraded ? flag.degraded : 0) |
    (report.isCancelled ? flag.cancelled : 0) |
    (report.overMaxResponseTime ? flag.overMax : 0) |
    (report.agentSide ? flag.agentSide : 0)
  );
}

function metricsOf({ checkType, metrics }: Incoming["report"]): readonly (number | null)[] {
  const names = isCheckType(checkType) ? checkTypes[checkType].metrics : [];
  return names.map((name) => {
    const value = metrics[name];
    return value === null || value === undefined ? null : thousandths(value);
  });
}

function failureOf({ resultType, hasFailures, hasErrors, agentSide, isCancelled, errorMessage }: AttemptReport): Incoming["failure"] {
  if (resultType !== "FINAL" || !(hasFailures || hasErrors) || agentSide || isCancelled) return null;
  const cleaned = cleanError(errorMessage ?? "");
  return cleaned && { ...cleaned, rawMessage: storable(errorMessage ?? "") };
}

const Told = PlaywrightCheckResult.pick({ tests: true, errors: true, steps: true });

/** Of each test of a suite; the first one is in the report's own message, too, and is one group with it. */
function otherFailuresOf({ checkType, detail }: AttemptReport): readonly ReportedFailure[] {
  const told = isCheckType(checkType) && isSuite(checkType) ? Told.safeParse(detail).data : undefined;
  if (told === undefined) return [];
  return suiteFailures(told).flatMap((message) => {
    const cleaned = cleanError(message);
    return cleaned === null ? [] : { ...cleaned, rawMessage: storable(message) };
  });
}

/** PostgreSQL takes neither halves of characters nor U+0000. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\u{fffd}");
}

function statusText(detail: unknown): string | null {
  const text = member(member(detail, "response"), "statusText");
  return typeof text === "string" && text !== "" ? storable(text.slice(0, longestStatusText)) : null;
}

/** @param detail of an attempt; its form was looked at when it came */
export function scriptEndOf(checkType: string, detail: unknown): ScriptEnd | null {
  if (!isCheckType(checkType) || !isTestedType(checkType) || detail === null || detail === undefined) return null;
  const end = scriptEnd(detail as ResultOf<TestedType>);
  return end && { ...end, step: end.step === null ? null : storable(end.step.slice(0, longestStep)) };
}

/** Of the certificate that the attempt saw, whatever the check type: beside its connection, or its very subject (SSL). */
function sslDaysRemaining(detail: unknown): number | null {
  const beside = member(member(member(detail, "connection"), "tls"), "daysRemaining");
  const days = [beside, member(detail, "daysUntilExpiry"), member(member(detail, "response"), "daysUntilExpiry")];
  const seen = days.find((found) => typeof found === "number");
  return seen === undefined ? null : Math.min(Math.max(seen, -furthestDays), furthestDays);
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
