import { AppError } from "#domain/app-error.ts";
import type { Cause } from "#domain/root-causes/cause.ts";
import type { CauseFacts } from "#domain/root-causes/cause-facts.ts";
import { findCauses } from "#domain/root-causes/find-causes.ts";
import { impactOf } from "#domain/root-causes/impact.ts";
import type { AnalysisRow, ErrorGroupStore, TestFailureStore } from "../storage/storage.ts";
import { type FactDeps, factsOfMessage, readFacts } from "./read-facts.ts";
import type { ModelWord, StoredAnalysis } from "./stored-analysis.ts";

export interface AnalyseDeps extends FactDeps {
  readonly errorGroups: Pick<ErrorGroupStore, "byId">;
  readonly testFailures: Pick<TestFailureStore, "byId">;
  /** What a model says of the same facts; null where none is asked. */
  readonly askModel: (row: AnalysisRow, facts: CauseFacts, causes: readonly Cause[], signal: AbortSignal) => Promise<ModelWord | null>;
  readonly monotonicMs: () => number;
}

/** By rules, and by a model where the operator has one. @throws {AppError} not_found where what failed is stored no more */
export async function analyse(deps: AnalyseDeps, row: AnalysisRow, signal: AbortSignal): Promise<NonNullable<AnalysisRow["completed"]>> {
  const startedMs = deps.monotonicMs();
  const facts = await factsOf(deps, row);
  const causes = findCauses(facts);
  const model = await deps.askModel(row, facts, causes, signal);
  const analysis: StoredAnalysis = { causes: causes.map(mutable), impact: impactOf(facts), failedAtMs: facts.failure.startedAtMs, model };
  const hasSaid = model !== null && model.because === null;
  return {
    provider: "outpost",
    model: hasSaid ? `rules and ${model.name}` : "rules",
    durationMs: Math.round(deps.monotonicMs() - startedMs),
    analysis,
  };
}

function mutable({ kind, text, confidence, evidence }: Cause): StoredAnalysis["causes"][number] {
  return { kind, text, confidence, evidence: [...evidence] };
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
