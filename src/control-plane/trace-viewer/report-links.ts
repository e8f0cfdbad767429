import { signedTokens } from "../keys/signed-tokens.ts";
import type { TraceFile, TraceLinkDeps } from "./trace-links.ts";

/** The name under which agents store Playwright's HTML report of a run. */
export const htmlReportName = "html-report.tar.gz";
export const reportsPath = "/reports";
/** Somebody reads in it, and each picture is fetched when it is looked at. */
const validMs = 60 * 60_000;

export interface ReportLinks {
  /** Path of the report of this result, for whoever may see it; good for an hour. */
  readonly addressOf: (file: Omit<TraceFile, "name">) => string;
  /** What a token names; null for one that is over, or that nobody here made. */
  readonly read: (token: string) => TraceFile | null;
}

const kinds = ["check", "test-session"] as const;
/** In few letters: it stands in a path, before what the report's own addresses say. */
type Told = readonly [accountId: number, kind: number, id: string, resultId: string, untilMs: number];

export function createReportLinks({ hashOf, nowMs }: Pick<TraceLinkDeps, "hashOf" | "nowMs">): ReportLinks {
  const tokens = signedTokens("report", hashOf);
  return {
    addressOf({ accountId, of, id, resultId }) {
      const told: Told = [accountId, kinds.indexOf(of), id, resultId, nowMs() + validMs];
      return `${reportsPath}/${tokens.tokenOf(JSON.stringify(told))}/index.html`;
    },
    read(token) {
      const text = tokens.read(token);
      if (text === null) return null;
      const [accountId, kind, id, resultId, untilMs] = JSON.parse(text) as Told; // we signed it
      return untilMs > nowMs() ? { accountId, of: kinds[kind] ?? "check", id, resultId, name: htmlReportName } : null;
    },
  };
}
