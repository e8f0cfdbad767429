import { randomUUID } from "node:crypto";
import { analysisSettings } from "../kinds/analysis-settings.ts";
import type { AccountStore, AnalysisStore } from "../storage/storage.ts";

export interface AlertAskDeps {
  readonly analyses: Pick<AnalysisStore, "unaskedEpisodes" | "ask">;
  readonly accounts: Pick<AccountStore, "byId">;
  readonly nowMs: () => number;
}

const batchSize = 200;
/** Of one account and one look: where hundreds of checks fail at once, the first few say why as well as all would. */
const mostOfAccount = 20;

/** Asks for an analysis of each new episode whose account wants that. @returns how many were looked at */
export async function askForAlerts({ analyses, accounts, nowMs }: AlertAskDeps): Promise<number> {
  const episodes = await analyses.unaskedEpisodes(batchSize);
  const asked = new Map<number, number>();
  for (const episode of episodes) {
    const { accountId, errorGroupId } = episode;
    const account = await accounts.byId(accountId);
    const count = asked.get(accountId) ?? 0;
    const isWanted = errorGroupId !== null && count < mostOfAccount && account !== undefined && analysisSettings(account).onAlerts;
    const wanted = isWanted ? { uuid: randomUUID(), userContext: "", createdAtMs: nowMs(), askedBy: null } : null;
    if ((await analyses.ask(episode, wanted)) && isWanted) asked.set(accountId, count + 1);
  }
  return episodes.length;
}
