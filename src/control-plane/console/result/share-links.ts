import { isSameText } from "../../keys/same-text.ts";

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

/** Keyed with the installation's pepper: nobody else makes one, and each process reads those of all others. */
export function shareToken(hashOf: (text: string) => string, run: SharedRun): string {
  const text = Buffer.from(JSON.stringify(run)).toString("base64url");
  return `${text}.${proof(hashOf, text)}`;
}

/** What a token shows; undefined for one that is over, or that we did not make. */
export function sharedRunOf(hashOf: (text: string) => string, token: string, nowMs: number): SharedRun | undefined {
  const [text = "", signature = ""] = token.split(".");
  if (!isSameText(signature, proof(hashOf, text))) return undefined;
  const run = JSON.parse(Buffer.from(text, "base64url").toString()) as SharedRun; // we signed it
  return run.untilMs > nowMs ? run : undefined;
}

function proof(hashOf: (text: string) => string, text: string): string {
  return hashOf(`shared-run:${text}`);
}
