const defaultBounds = { baseMs: 1_000, capMs: 60_000 };

/**
 * How long to wait after that many failures in a row: full jitter, anywhere between 0 and 1 s, 2 s, 4 s … 60 s.
 * Full jitter, because after an outage many agents come back at the same moment.
 *
 * @param failures at least 1
 * @param random in [0, 1)
 */
export function backoffMs(failures: number, random: number, { baseMs, capMs } = defaultBounds): number {
  return Math.floor(random * Math.min(capMs, baseMs * 2 ** (Math.max(1, failures) - 1)));
}

/**
 * Milliseconds that a `Retry-After` header asks for: seconds or an HTTP date (RFC 9110 §10.2.3), at most 5 minutes,
 * so that a wrong header cannot silence an agent. Undefined when absent or not understood.
 */
export function retryAfterMs(header: string | null | undefined, nowMs: number, capMs = 300_000): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d+$/.test(text)) return Math.min(capMs, Number(text) * 1_000);
  // Date.parse takes nearly anything; every form of an HTTP date names a weekday first and a time.
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d\d:\d\d:\d\d/.test(text)) return undefined;
  const atMs = Date.parse(text.endsWith(" GMT") ? text : `${text} GMT`);
  return Number.isNaN(atMs) ? undefined : Math.min(capMs, Math.max(0, atMs - nowMs));
}
