import { z } from "zod";
import { deepestStep, webVitalNames } from "#contract/checks/playwright-run.ts";
import { count, entries, number, numberOrNull, text, textOrNull } from "./lenient.ts";

/*
 * What a tree tells: it runs the user's code, so everything is read as an attacker would have written it. What does not fit is cut or left
 * out; a run is judged by what is left.
 */

const Place = z
  .object({ file: text(1_000), line: z.int().min(1), column: z.int().min(1) })
  .nullable()
  .catch(null);

const ToldTest = z.object({
  id: text(200),
  title: text(1_000),
  project: textOrNull(1_000),
  file: text(1_000),
  line: z.int().min(1).nullable().catch(null),
  status: z.enum(["passed", "failed", "timedOut", "skipped", "interrupted"]),
  outcome: z.enum(["expected", "unexpected", "flaky", "skipped"]),
  retry: count,
  firstStartedAt: number,
  startedAt: number,
  durationMs: durationOrNone(),
  annotations: entries(z.object({ type: text(1_000), description: textOrNull(1_000) }), 20),
  attachments: entries(z.object({ name: text(200), path: z.string().max(4_096), contentType: text(200) }), 50),
});
export type ToldTest = z.output<typeof ToldTest>;

const ToldStep = z.object({
  title: text(1_000),
  category: text(50),
  test: count,
  depth: z.int().min(0).max(deepestStep),
  startedAt: number,
  durationMs: durationOrNone(),
  error: textOrNull(10_000),
  location: Place,
});

const ToldError = z.object({
  message: text(10_000),
  stack: textOrNull(10_000),
  location: Place,
  snippet: textOrNull(10_000),
  test: z.int().min(0).nullable(),
  retry: count,
  index: count,
});

const Output = z.object({ time: number, level: z.enum(["DEBUG", "INFO", "WARN", "ERROR"]), msg: text(10_000) });

/** Of a run; what came of the others, its status tells. */
export const mostTests = 1_000;

/** What the runner tells of the whole run. */
const Report = z.object({
  status: z.enum(["passed", "failed", "timedout", "interrupted"]),
  version: text(50),
  tests: entries(ToldTest, mostTests),
  steps: entries(ToldStep, 2_000),
  errors: entries(ToldError, 100),
  output: entries(Output, 2_000),
});
export type Report = z.output<typeof Report>;

/** Of a run that left nothing that can be read. */
export const nothingTold: Report = { status: "failed", version: "", tests: [], steps: [], errors: [], output: [] };

const Vitals = z.object(
  Object.fromEntries(webVitalNames.map((name) => [name, numberOrNull])) as Record<(typeof webVitalNames)[number], typeof numberOrNull>,
);

const ToldRequest = z.object({
  kind: z.literal("request"),
  method: text(50),
  url: text(4_096),
  status: z.int().min(0).max(999).nullable().catch(null),
  startedAt: number,
  durationMs: z.number().min(0).nullable().catch(null),
  timings: z
    .object({ dns: duration(), connect: duration(), tls: duration(), firstByte: duration(), download: duration() })
    .nullable()
    .catch(null),
  bytes: z.int().min(0).nullable().catch(null),
  type: text(50),
  fromCache: z.boolean().catch(false),
  error: textOrNull(1_000),
  isDocument: z.boolean().catch(false),
  on: textOrNull(4_096),
});
export type ToldRequest = z.output<typeof ToldRequest>;

const Seen = z.discriminatedUnion("kind", [
  ToldRequest,
  Output.extend({ kind: z.literal("log") }),
  z.object({ kind: z.literal("soft"), test: text(200), retry: count, index: count }),
  z.object({ kind: z.literal("page"), url: text(4_096) }),
  z.object({ kind: z.literal("vitals"), url: text(4_096), seen: Vitals }),
  z.object({
    kind: z.literal("console"),
    time: number,
    level: text(50),
    text: text(4_000),
    url: textOrNull(4_096),
    line: z.int().min(0).nullable().catch(null),
    on: textOrNull(4_096),
  }),
]);
export type Seen = z.output<typeof Seen>;
export type SeenOf<K extends Seen["kind"]> = Extract<Seen, { readonly kind: K }>;

/** Of each kind, so that no kind can crowd out another. */
const mostOfKind = 2_000;

/** Null where it is no report. */
export function readReport(line: string): Report | null {
  return Report.safeParse(parsed(line)).data ?? null;
}

export function readSeen(lines: string): Seen[] {
  const counts = new Map<string, number>();
  return lines.split("\n").flatMap((line) => {
    const { data } = Seen.safeParse(parsed(line));
    if (data === undefined) return [];
    const before = counts.get(data.kind) ?? 0;
    counts.set(data.kind, before + 1);
    return before < mostOfKind ? [data] : [];
  });
}

export function isOfKind<K extends Seen["kind"]>(kind: K): (seen: Seen) => seen is SeenOf<K> {
  return (seen): seen is SeenOf<K> => seen.kind === kind;
}

/** Null: it had not ended when it was told. */
function durationOrNone() {
  return z.number().min(0).nullable().catch(0);
}

function duration() {
  return z.number().min(0).nullable().catch(null);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
