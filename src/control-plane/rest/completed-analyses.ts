import { instant } from "../kinds/instants.ts";
import { analysisView, storedAnalysis } from "../root-causes/stored-analysis.ts";
import type { AnalysedGroup, AnalysisStore } from "../storage/storage.ts";

export interface CompletedDeps {
  readonly analyses: Pick<AnalysisStore, "ofGroup">;
  readonly publicUrl: () => string;
}

/** The completed analyses of an error group as the group tells them, the latest first. */
export async function completedAnalyses({ analyses, publicUrl }: CompletedDeps, accountId: number, of: AnalysedGroup) {
  const rows = await analyses.ofGroup(accountId, of);
  return rows.map(({ uuid, createdAtMs, userContext, completed }) => {
    const stored = storedAnalysis(completed?.analysis);
    return {
      id: uuid,
      created_at: instant(createdAtMs),
      userContext,
      provider: completed?.provider ?? null,
      model: completed?.model ?? null,
      durationMs: completed?.durationMs ?? null,
      analysis: stored === undefined ? null : analysisView(stored, publicUrl()),
    };
  });
}
