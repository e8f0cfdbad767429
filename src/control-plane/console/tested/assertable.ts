import type { ApiCheckResult } from "#contract/checks/api.ts";

/** An assertion that holds for what a run saw. */
export interface Assertable {
  readonly source: "STATUS_CODE" | "HEADERS" | "JSON_BODY" | "RESPONSE_TIME";
  readonly property: string;
  readonly comparison: "EQUALS" | "LESS_THAN";
  readonly target: string;
}

const [mostHeaders, mostValues, deepest, longest] = [12, 60, 6, 120] as const;

/** Headers that differ from one answer to the next. */
const changing = /^(date|age|etag|expires|last-modified|set-cookie|content-length|.*-id|.*-ray|x-runtime|server-timing)$/;

/** What a response offers for assertions: its status, time, lasting headers, and the values of a JSON body in their order. */
export function assertablesOf({ response }: Pick<ApiCheckResult, "response">, responseTimeMs: number | null): readonly Assertable[] {
  if (response === null) return [];
  const { status, headers, body, bodyEncoding, truncated } = response;
  const lasting = Object.entries(headers).flatMap(([name, value]): Assertable[] =>
    typeof value === "string" && value.length <= longest && !changing.test(name.toLowerCase())
      ? [{ source: "HEADERS", property: name.toLowerCase(), comparison: "EQUALS", target: value }]
      : [],
  );
  return [
    { source: "STATUS_CODE", property: "", comparison: "EQUALS", target: String(status) },
    ...(responseTimeMs === null
      ? []
      : [{ source: "RESPONSE_TIME", property: "", comparison: "LESS_THAN", target: roomFor(responseTimeMs) } as const]),
    ...(truncated || bodyEncoding !== undefined ? [] : jsonValues(body)),
    ...lasting.slice(0, mostHeaders),
  ];
}

/** Three times what it took, in round numbers: 250, 500, 1000, … */
function roomFor(tookMs: number): string {
  const steps = [100, 250, 500, 1_000, 2_000, 3_000, 5_000, 10_000, 20_000];
  return String(steps.find((step) => step >= 3 * tookMs) ?? 30_000);
}

function jsonValues(body: string): readonly Assertable[] {
  const found: Assertable[] = [];
  const visit = (value: unknown, path: string, depth: number): void => {
    if (found.length >= mostValues || depth > deepest) return;
    if (typeof value === "object" && value !== null) {
      for (const [key, member] of Object.entries(value)) visit(member, path + step(key, Array.isArray(value)), depth + 1);
      return;
    }
    const target = typeof value === "string" ? value : JSON.stringify(value);
    if (value !== null && target.length <= longest) found.push({ source: "JSON_BODY", property: path, comparison: "EQUALS", target });
  };
  const json = parsed(body);
  if (typeof json === "object" && json !== null) visit(json, "$", 0);
  return found;
}

/** As RFC 9535 writes it; a name with a sign of its own stands in brackets. */
function step(key: string, isIndex: boolean): string {
  if (isIndex) return `[${key}]`;
  return /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `['${key.replace(/['\\]/g, "\\$&")}']`;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined; // no JSON has no values
  }
}
