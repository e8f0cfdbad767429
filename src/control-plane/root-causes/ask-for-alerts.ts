import { randomUUID } from "node:crypto";
import { analysisSettings } from "../kinds/analysis-settings.ts";
import type { AccountStore, AnalysisStore, LookedEpisode, UnaskedEpisode } from "../storage/storage.ts";

export interface AlertAskDeps {
  readonly analyses: Pick<AnalysisStore, "unaskedEpisodes" | "ask" | "latest">;
  readonly accounts: Pick<AccountStore, "byId">;
  readonly nowMs: () => number;
}

const batchSize = 200;
/** Of one account and time: where hundreds of checks fail at once, the first few say why as well as all would. */
const [mostOfAccount, ofTimeMs] = [20, 5 * 60_000];

/**
 * Asks for an analysis of each new episode whose account wants that, within limits, and for another one where an analysed episode has other locations
 * that fail than before. @returns what looks once; it tells how many episodes it found */
export function createAlertAsking({ analyses, accounts, nowMs }: AlertAskDeps): () => Promise<number> {
  /** When this process asked, by account. */
  const asked = new Map<number, number[]>();

  function mayAsk({ of }: UnaskedEpisode, times: number[]): boolean {
    if (of === null || times.length >= mostOfAccount) return false;
    times.push(nowMs());
    return true;
  }

  /** As many as were asked for at first, so there is no limit of its own. */
  async function isAnalysed({ accountId, of }: UnaskedEpisode): Promise<boolean> {
    return of !== null && (await analyses.latest(accountId, of)) !== undefined;
  }

  async function lookedAt(accountId: number, episodes: readonly UnaskedEpisode[]): Promise<readonly LookedEpisode[]> {
    const account = await accounts.byId(accountId);
    const isWanted = account !== undefined && analysisSettings(account).onAlerts;
    const times = (asked.get(accountId) ?? []).filter((atMs) => atMs > nowMs() - ofTimeMs);
    const looked: LookedEpisode[] = [];
    for (const episode of episodes) {
      const wanted = { uuid: randomUUID(), userContext: "", createdAtMs: nowMs(), askedBy: null };
      const isAsked = isWanted && (episode.isAgain ? await isAnalysed(episode) : mayAsk(episode, times));
      looked.push({ ...episode, wanted: isAsked ? wanted : null });
    }
    if (times.length === 0) asked.delete(accountId);
    else asked.set(accountId, times);
    return looked;
  }

  return async () => {
    const episodes = await analyses.unaskedEpisodes(nowMs(), batchSize);
    if (episodes.length === 0) return 0;
    const byAccount = [...Map.groupBy(episodes, ({ accountId }) => accountId)];
    const looked = await Promise.all(byAccount.map(([accountId, ofAccount]) => lookedAt(accountId, ofAccount)));
    await analyses.ask(nowMs(), looked.flat());
    return episodes.length;
  };
}
