import { isDeepStrictEqual } from "node:util";
import { isPinged } from "#contract/checks/traits.ts";
import { AppError } from "#domain/app-error.ts";
import type { Cause, Evidence } from "#domain/root-causes/cause.ts";
import type { CauseFacts } from "#domain/root-causes/cause-facts.ts";
import { evidenceList } from "#domain/root-causes/evidence-list.ts";
import { findCauses } from "#domain/root-causes/find-causes.ts";
import { findHeartbeatCauses, heartbeatEvidence, heartbeatImpact } from "#domain/root-causes/find-heartbeat-causes.ts";
import { impactOf } from "#domain/root-causes/impact.ts";
import { changeByRules, type ScriptChange, type ScriptFacts } from "#domain/root-causes/script-facts.ts";
import type { AnalysisRow, AnalysisStore, CheckRow, ErrorGroupStore, TestFailureStore } from "../storage/storage.ts";
import { type FactDeps, factsOfMessage, readDegradation, readFacts } from "./read-facts.ts";
import { type HeartbeatFactDeps, readHeartbeat } from "./read-heartbeat.ts";
import { type ModelWord, type StoredAnalysis, storedAnalysis } from "./stored-analysis.ts";

/** What rules found, and all that they looked at as sentences. */
export interface Findings {
  readonly check: Pick<CauseFacts["check"], "id" | "name" | "type" | "host">;
  readonly causes: readonly Cause[];
  readonly evidence: readonly Evidence[];
  /** Null: it is no script that failed. */
  readonly script: ScriptFacts | null;
  readonly impact: string;
  /** Of the run that was looked at, or of the miss. */
  readonly atMs: number;
}

export interface AnalyseDeps extends FactDeps, Omit<HeartbeatFactDeps, "causes"> {
  readonly analyses: Pick<AnalysisStore, "ofGroup">;
  readonly errorGroups: Pick<ErrorGroupStore, "byId" | "list">;
  readonly testFailures: Pick<TestFailureStore, "byId">;
  /** What a model says of the same facts; null where none is asked. */
  readonly askModel: (row: AnalysisRow, found: Findings, signal: AbortSignal) => Promise<ModelWord | null>;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
}

/** By rules, and by a model where the operator has one. @throws {AppError} not_found where what failed is stored no more */
export async function analyse(deps: AnalyseDeps, row: AnalysisRow, signal: AbortSignal): Promise<NonNullable<AnalysisRow["completed"]>> {
  const startedMs = deps.monotonicMs();
  const found = await findingsOf(deps, row);
  const { causes, impact, atMs, check, script } = found;
  const model = (await saidBefore(deps, row, found)) ?? (await deps.askModel(row, found, signal));
  const analysis: StoredAnalysis = {
    causes: causes.map(mutable),
    impact,
    failedAtMs: atMs,
    model,
    change: changeOf(check.id, changeByRules(script) ?? model?.change ?? null),
  };
  const hasSaid = model !== null && model.because === null;
  return {
    provider: "outpost",
    model: hasSaid ? `rules and ${model.name}` : "rules",
    durationMs: Math.round(deps.monotonicMs() - startedMs),
    analysis,
  };
}

function changeOf(checkId: string, change: ScriptChange | null): StoredAnalysis["change"] {
  return change === null ? null : { ...change, checkId };
}

/** A model's words about a failed run hold for runs that failed so much later. */
const wordsHoldMs = 60 * 60_000;

/** What a model said of the same failure stays where an alert asks again and the rules find the same: that costs no second answer. */
async function saidBefore(
  { analyses }: AnalyseDeps,
  { accountId, errorGroupId, testFailureGroupId, checkId, askedBy }: AnalysisRow,
  { causes, atMs }: Findings,
): Promise<ModelWord | null> {
  if (askedBy !== null || testFailureGroupId !== null) return null;
  const [newest] = await analyses.ofGroup(accountId, { errorGroupId, testFailureGroupId, checkId });
  const before = newest && storedAnalysis(newest.completed?.analysis);
  if (before?.model?.because !== null || atMs - before.failedAtMs > wordsHoldMs) return null;
  return isDeepStrictEqual(before.causes.map(wordsOf), causes.map(wordsOf)) ? before.model : null;
}

function wordsOf({ kind, text, confidence }: Pick<Cause, "kind" | "text" | "confidence">): readonly string[] {
  return [kind, text, confidence];
}

function mutable({ kind, text, confidence, evidence }: Cause): StoredAnalysis["causes"][number] {
  return { kind, text, confidence, evidence: [...evidence] };
}

async function findingsOf(deps: AnalyseDeps, row: AnalysisRow): Promise<Findings> {
  if (typeof row.checkId !== "number") return findingsIn(await factsOf(deps, row));
  const uuid = await deps.causes.checkUuid(row.accountId, row.checkId);
  const check = uuid === undefined ? undefined : await deps.checks.byUuid(row.accountId, uuid);
  if (check === undefined) throw new AppError("not_found", "The check is gone");
  if (!isPinged(check.type)) return findingsIn(await factsOfCheck(deps, check));
  const facts = await readHeartbeat(deps, check, deps.nowMs());
  const causes = findHeartbeatCauses(facts);
  const { check: told, missedAtMs: atMs } = facts;
  return { check: told, causes, script: null, evidence: heartbeatEvidence(facts, causes), impact: heartbeatImpact(facts), atMs };
}

function findingsIn(facts: CauseFacts): Findings {
  const causes = findCauses(facts);
  const { check, failure } = facts;
  return { check, causes, script: facts.script, evidence: evidenceList(facts, causes), impact: impactOf(facts), atMs: failure.startedAtMs };
}

/** Of its newest run that was degraded; where none was, of its newest error. @throws {AppError} not_found where there is neither */
async function factsOfCheck(deps: AnalyseDeps, check: CheckRow): Promise<CauseFacts> {
  const degraded = await readDegradation(deps, check, deps.nowMs());
  if (degraded !== undefined) return degraded;
  const { items } = await deps.errorGroups.list(check.accountId, { checkId: check.id, page: 1, limit: 1 });
  const [newest] = items;
  if (newest === undefined) throw new AppError("not_found", "No run of this check is stored that was degraded or failed");
  return readFacts(deps, check.accountId, newest);
}

async function factsOf(deps: AnalyseDeps, { accountId, errorGroupId, testFailureGroupId }: AnalysisRow): Promise<CauseFacts> {
  if (errorGroupId !== null) {
    const group = await deps.errorGroups.byId(accountId, errorGroupId);
    if (group !== undefined) return readFacts(deps, accountId, group);
  }
  const failure = testFailureGroupId === null ? undefined : await deps.testFailures.byId(accountId, testFailureGroupId);
  if (failure === undefined) throw new AppError("not_found", "The error group is gone");
  return factsOfMessage("the test session", failure.rawMessage, failure.lastSeenMs);
}
