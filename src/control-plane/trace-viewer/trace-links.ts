import { isSameText } from "../keys/same-text.ts";

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

/** The token in such a link says which file, of whose account and until when, under the pepper: each process reads those of all others. */
export function createTraceLinks({ traceViewerUrl, hashOf, nowMs }: TraceLinkDeps): TraceLinks {
  const sign = (text: string): string => hashOf(`trace:${text}`);
  return {
    addressOf(file) {
      const text = Buffer.from(JSON.stringify({ ...file, untilMs: nowMs() + validMs })).toString("base64url");
      const trace = `${traceViewerUrl}${tracesPath}/${encodeURIComponent(file.name)}?token=${text}.${sign(text)}`;
      return `${traceViewerUrl}/?trace=${encodeURIComponent(trace)}`;
    },
    read(token) {
      const [text = "", signature = ""] = token.split(".");
      if (!isSameText(signature, sign(text))) return null;
      const { untilMs, ...file } = JSON.parse(Buffer.from(text, "base64url").toString()) as TraceFile & { untilMs: number }; // we signed it
      return untilMs > nowMs() ? file : null;
    },
  };
}
