/** A measure that is judged by limits; a limit is passed above it, not at it. Null limits judge nothing. */
export interface Measure {
  /** `response time`, `packet loss`: begins the sentence that tells it. */
  readonly name: string;
  /** Rounded as it is stored and shown. */
  readonly value: number;
  readonly unit: string;
  readonly degradedAbove: number | null;
  readonly failedAbove: number | null;
}

/** Something that the check type's own rules hold against what was seen. */
export interface Finding {
  readonly severity: "fail" | "degrade";
  /** A sentence for people. */
  readonly message: string;
}

/** What one attempt of any check type saw, and what it is judged by. */
export interface AttemptToJudge {
  /** As evaluated: those that failed have an `error`. Null when none were evaluated. */
  readonly assertions: readonly { readonly error?: string | undefined }[] | null;
  /** Why no (whole) answer was seen. */
  readonly failure: { readonly code: string; readonly message: string } | null;
  /** The failure is what the check hopes for (`shouldFail` of a TCP check). */
  readonly excusesFailure: boolean;
  /** Null when no status code arrived, and for types that have none. */
  readonly statusCode: number | null;
  readonly findings: readonly Finding[];
  readonly measures: readonly Measure[];
}

export interface Verdict {
  /** The attempt failed. */
  readonly hasFailures: boolean;
  /** It failed because there was no (whole) answer to judge. */
  readonly hasErrors: boolean;
  /** Slow or otherwise not well, and nothing else: an attempt that failed is never degraded. */
  readonly isDegraded: boolean;
  /** A measure is over its failing limit. */
  readonly overMaxResponseTime: boolean;
  /** The first thing that failed, or degrades, in a sentence: for alerts and error groups. */
  readonly errorMessage: string | null;
  /** No answer arrived: what `onlyOn: NETWORK_ERROR` retries (behaviour 2.5). */
  readonly networkError: boolean;
}

/** Judges one attempt: a missing answer, then what the type's rules found, then assertions, then limits. */
export function judgeAttempt(attempt: AttemptToJudge): Verdict {
  const { failure, statusCode, findings, measures } = attempt;
  const missing = failure === null || attempt.excusesFailure ? null : `${failure.code}: ${failure.message}`;
  const tooHigh = measures.find(({ value, failedAbove }) => isAbove(value, failedAbove));
  const tooHighMessage = tooHigh === undefined ? null : sentence(tooHigh, "limit", tooHigh.failedAbove);
  const reason = missing ?? worst(findings, "fail") ?? failedAssertion(attempt) ?? tooHighMessage;
  const hasFailures = reason !== null;
  return {
    hasFailures,
    hasErrors: missing !== null,
    isDegraded: !hasFailures && isDegraded(findings, measures),
    overMaxResponseTime: tooHigh !== undefined,
    errorMessage: reason ?? worst(findings, "degrade") ?? pastDegraded(measures),
    networkError: missing !== null && statusCode === null,
  };
}

function worst(findings: readonly Finding[], severity: Finding["severity"]): string | null {
  return findings.find((finding) => finding.severity === severity)?.message ?? null;
}

function failedAssertion({ assertions }: AttemptToJudge): string | null {
  return assertions?.find(({ error }) => error !== undefined)?.error ?? null;
}

function isDegraded(findings: readonly Finding[], measures: readonly Measure[]): boolean {
  return (
    findings.some(({ severity }) => severity === "degrade") || measures.some(({ value, degradedAbove }) => isAbove(value, degradedAbove))
  );
}

/** Two limits hold for one measure, so the sentence names the one that was passed. */
function pastDegraded(measures: readonly Measure[]): string | null {
  const slow = measures.find(({ value, degradedAbove }) => isAbove(value, degradedAbove));
  return slow === undefined ? null : sentence(slow, "degraded limit", slow.degradedAbove);
}

function isAbove(value: number, limit: number | null): boolean {
  return limit !== null && value > limit;
}

function sentence({ name, value, unit }: Measure, limitName: string, limit: number | null): string {
  return `${name} ${value} ${unit} is over the ${limitName} of ${limit} ${unit}`;
}
