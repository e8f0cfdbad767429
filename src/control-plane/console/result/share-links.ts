import { signedTokens } from "../../keys/signed-tokens.ts";

/** A run that whoever has the link may look at, and nothing else. */
export interface SharedRun {
  readonly accountId: number;
  readonly checkId: string;
  readonly resultId: string;
  readonly untilMs: number;
}

const day = 86_400_000;

/** How long a link may be good. */
export const shareTimes = { "1d": day, "7d": 7 * day, "30d": 30 * day } as const;

export const sharedPath = "/shared/runs";

type HashOf = (text: string) => string;

export function shareToken(hashOf: HashOf, run: SharedRun): string {
  return tokens(hashOf).tokenOf(JSON.stringify(run));
}

/** What a token shows; undefined for one that is over, or that we did not make. */
export function sharedRunOf(hashOf: HashOf, token: string, nowMs: number): SharedRun | undefined {
  const text = tokens(hashOf).read(token);
  if (text === null) return undefined;
  const run = JSON.parse(text) as SharedRun; // we signed it
  return run.untilMs > nowMs ? run : undefined;
}

const tokens = (hashOf: HashOf) => signedTokens("shared-run", hashOf);
