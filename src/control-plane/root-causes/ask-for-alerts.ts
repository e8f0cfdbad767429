import { randomUUID } from "node:crypto";
import { analysisSettings } from "../kinds/analysis-settings.ts";
import type { AccountStore, AnalysisStore, LookedEpisode, UnaskedEpisode } from "../storage/storage.ts";

export interface AlertAskDeps {
  readonly analyses: Pick<AnalysisStore, "unaskedEpisodes" | "ask">;
  readonly accounts: Pick<AccountStore, "byId">;
  readonly nowMs: () => number;
}

const batchSize = 200;
/** Of one account and time: where hundreds of checks fail at once, the first few say why as well as all would. */
const [mostOfAccount, ofTimeMs] = [20, 5 * 60_000];

/** Asks for an analysis of each new episode whose account wants that, within limits. @returns what looks once; it tells how many episodes it found */
export function createAlertAsking({ analyses, accounts, nowMs }: AlertAskDeps): () => Promise<number> {
  /** When this process asked, by account. */
  const asked = new Map<number, number[]>();

  async function lookedAt(accountId: number, episodes: readonly UnaskedEpisode[]): Promise<readonly LookedEpisode[]> {
    const account = await accounts.byId(accountId);
    const isWanted = account !== undefined && analysisSettings(account).onAlerts;
    const times = (asked.get(accountId) ?? []).filter((atMs) => atMs > nowMs() - ofTimeMs);
    const looked = episodes.map((episode): LookedEpisode => {
      if (!isWanted || episode.errorGroupId === null || times.length >= mostOfAccount) return { ...episode, wanted: null };
      times.push(nowMs());
      return { ...episode, wanted: { uuid: randomUUID(), userContext: "", createdAtMs: nowMs(), askedBy: null } };
    });
    if (times.length === 0) asked.delete(accountId);
    else asked.set(accountId, times);
    return looked;
  }

  return async () => {
    const episodes = await analyses.unaskedEpisodes(batchSize);
    if (episodes.length === 0) return 0;
    const byAccount = [...Map.groupBy(episodes, ({ accountId }) => accountId)];
    const looked = await Promise.all(byAccount.map(([accountId, ofAccount]) => lookedAt(accountId, ofAccount)));
    await analyses.ask(looked.flat());
    return episodes.length;
  };
}
