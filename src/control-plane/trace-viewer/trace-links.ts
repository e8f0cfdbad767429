import { signedTokens } from "../keys/signed-tokens.ts";

/** A file of a result, of a check or of a test session. */
export interface TraceFile {
  readonly accountId: number;
  readonly of: "check" | "test-session";
  /** Of the check or the test session. */
  readonly id: string;
  readonly resultId: string;
  readonly name: string;
}

export interface TraceLinks {
  /** The viewer with this trace, for whoever may see it; good for a quarter of an hour. */
  readonly addressOf: (file: TraceFile) => string;
  /** What a token names; null for one that is over, or that nobody here made. */
  readonly read: (token: string) => TraceFile | null;
}

/** Below it the viewer fetches traces. */
export const tracesPath = "/traces";
const validMs = 15 * 60_000;

export interface TraceLinkDeps {
  /** `TRACE_VIEWER_URL`, without a slash at its end. */
  readonly traceViewerUrl: string;
  readonly hashOf: (text: string) => string;
  readonly nowMs: () => number;
}

/** The token in such a link says which file, of whose account and until when. */
export function createTraceLinks({ traceViewerUrl, hashOf, nowMs }: TraceLinkDeps): TraceLinks {
  const tokens = signedTokens("trace", hashOf);
  return {
    addressOf(file) {
      const token = tokens.tokenOf(JSON.stringify({ ...file, untilMs: nowMs() + validMs }));
      const trace = `${traceViewerUrl}${tracesPath}/${encodeURIComponent(file.name)}?token=${token}`;
      return `${traceViewerUrl}/?trace=${encodeURIComponent(trace)}`;
    },
    read(token) {
      const text = tokens.read(token);
      if (text === null) return null;
      const { untilMs, ...file } = JSON.parse(text) as TraceFile & { untilMs: number }; // we signed it
      return untilMs > nowMs() ? file : null;
    },
  };
}
