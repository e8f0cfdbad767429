import { z } from "zod";
import { listOf } from "../list-of.ts";

/**
 * What a run of a Playwright script tells (reference: `browserCheckResult`, `multiStepCheckResult`). Members of the reference have its names; the
 * others are ours. All of it comes from a process that runs the user's code: bounded, and scrubbed before it has a name on disk.
 */

const Name = z.string().max(1_000);
const Text = z.string().max(10_000);
/** Milliseconds since `startTime`, with fractions. */
const AtMs = z.number().describe("milliseconds since startTime");
const Ms = z.number().min(0).nullable().describe("milliseconds; null where it was not seen");

/** Where in the script's files something is. */
export const ScriptLocation = z.object({ file: Name, line: z.int().min(1), column: z.int().min(1) });

/** One error of a test, or of the run where no test is to blame. */
export const PlaywrightError = z.object({
  message: Text.describe("without colours"),
  stack: Text.nullable(),
  location: ScriptLocation.nullable(),
  snippet: Text.nullable().describe("lines around the place, with numbers"),
  title: Name.nullable().describe("of the test; null where the script itself is to blame"),
  project: Name.nullable(),
  retry: z.int().min(0),
  isSoft: z.boolean().describe("from expect.soft: the test went on"),
  screenshot: z.string().max(200).nullable().describe("name of the asset that shows the page at that time"),
});
export type PlaywrightError = z.infer<typeof PlaywrightError>;

export const playwrightTestStatuses = ["passed", "failed", "timedOut", "skipped", "flaky", "interrupted"] as const;

export const PlaywrightTest = z.object({
  title: Name.describe("with the titles of its describe blocks, joined by ›"),
  project: Name.nullable(),
  file: Name,
  line: z.int().min(1).nullable(),
  status: z.enum(playwrightTestStatuses),
  retries: z.int().min(0),
  startMs: AtMs,
  durationMs: z.number().min(0),
  annotations: listOf(z.object({ type: Name, description: Name.nullable() }), 20),
});
export type PlaywrightTest = z.infer<typeof PlaywrightTest>;

export const deepestStep = 6;

/** Steps in the order in which they began, each under the last one before it with a smaller depth. */
export const PlaywrightStep = z.object({
  title: Name,
  category: z.string().max(50).describe("as Playwright names it: test.step, expect, pw:api, hook, fixture"),
  test: z.int().min(0).describe("index in tests"),
  depth: z.int().min(0).max(deepestStep),
  startMs: AtMs,
  durationMs: z.number().min(0),
  error: Text.nullable(),
  location: ScriptLocation.nullable(),
});
export type PlaywrightStep = z.infer<typeof PlaywrightStep>;

export const PlaywrightRequestTimings = z.object({ dns: Ms, connect: Ms, tls: Ms, firstByte: Ms, download: Ms });

export const PlaywrightRequest = z.object({
  method: z.string().max(50),
  url: z.string().max(4_096),
  status: z.int().min(0).max(999).nullable(),
  startMs: AtMs,
  durationMs: Ms,
  timings: PlaywrightRequestTimings.nullable(),
  bytes: z.int().min(0).nullable().describe("of the body, as it travelled"),
  type: z.string().max(50).describe("document, script, image, fetch; api for the request fixture"),
  fromCache: z.boolean(),
  error: Text.nullable(),
  step: z.int().min(0).nullable().describe("index in steps of what it was sent in"),
  page: z.int().min(0).nullable().describe("index of the page; null for the request fixture"),
});
export type PlaywrightRequest = z.infer<typeof PlaywrightRequest>;

export const PlaywrightConsoleLine = z.object({
  atMs: AtMs,
  level: z.enum(["debug", "info", "log", "warning", "error", "exception"]).describe("exception: nobody caught it"),
  text: z.string().max(4_000),
  url: z.string().max(4_096).nullable(),
  line: z.int().min(0).nullable(),
  page: z.int().min(0).nullable(),
});
export type PlaywrightConsoleLine = z.infer<typeof PlaywrightConsoleLine>;

export const webVitalNames = ["CLS", "FCP", "LCP", "TBT", "TTFB"] as const;
export type WebVitalName = (typeof webVitalNames)[number];
export const webVitalScores = ["GOOD", "NEEDS_IMPROVEMENT", "POOR"] as const;
const WebVital = z.object({ value: z.number().min(0), score: z.enum(webVitalScores) });
export const WebVitals = z.object({
  CLS: WebVital.optional(),
  FCP: WebVital.optional(),
  LCP: WebVital.optional(),
  TBT: WebVital.optional(),
  TTFB: WebVital.optional(),
});
export type WebVitals = z.infer<typeof WebVitals>;

/** What figures are kept of each page: milliseconds but for CLS, and counts. */
export const pageMetrics = [
  "TTFB",
  "FCP",
  "LCP",
  "CLS",
  "TBT",
  "consoleErrors",
  "networkErrors",
  "userScriptErrors",
  "documentErrors",
] as const satisfies readonly (WebVitalName | keyof z.infer<typeof PlaywrightTraceSummary>)[];
export type PageMetric = (typeof pageMetrics)[number];

/** A page by its first visit: http and https, main frames only. */
export const PlaywrightPage = z.object({ url: z.string().max(4_096), index: z.int().min(0), webVitals: WebVitals });
export type PlaywrightPage = z.infer<typeof PlaywrightPage>;

/** How many errors of each kind the pages had. */
export const PlaywrightTraceSummary = z.object({
  consoleErrors: z.int().min(0),
  networkErrors: z.int().min(0).describe("requests that failed, or were answered with 400 or more"),
  documentErrors: z.int().min(0).describe("navigations that failed, or were answered with 400 or more"),
  userScriptErrors: z.int().min(0).describe("exceptions that the pages did not catch"),
});
export type PlaywrightTraceSummary = z.infer<typeof PlaywrightTraceSummary>;

export const PlaywrightLogLine = z.object({
  time: z.number().describe("epoch milliseconds"),
  level: z.enum(["DEBUG", "INFO", "WARN", "ERROR"]),
  msg: z.string().max(10_000),
});
export type PlaywrightLogLine = z.infer<typeof PlaywrightLogLine>;

const AssetNames = listOf(z.string().max(200), 100);

/** Of reasons in a result, and characters of each. */
export const [mostDegradations, longestDegradation] = [20, 100];

/** A line of the script that could be another one; nothing of it is applied by itself. */
export const ScriptSuggestion = z
  .object({
    category: z.enum(["selector", "assertion"]).describe("what does not fit any more"),
    summary: z.string().max(1_000),
    file: Name,
    line: z.int().min(1),
    before: z.string().max(1_000).describe("the line as it ran"),
    after: z.string().max(1_000),
  })
  .meta({ id: "ScriptSuggestion" });
export type ScriptSuggestion = z.infer<typeof ScriptSuggestion>;

const ofEveryRun = {
  startTime: z.number().describe("of the first test, epoch milliseconds"),
  endTime: z.number().describe("of the last test, epoch milliseconds"),
  runtimeVersion: z.string().max(50),
  playwrightVersion: z.string().max(50),
  errors: listOf(PlaywrightError, 100),
  jobLog: listOf(PlaywrightLogLine, 2_000),
  jobAssets: AssetNames,
  playwrightTestVideos: AssetNames,
  playwrightTestTraces: AssetNames,
  playwrightTestJsonReportFile: z.string().max(200).nullable(),
  degradedBy: listOf(z.string().max(longestDegradation), mostDegradations)
    .optional()
    .describe("where the script marked its check as degraded: why, in its words"),
  suggestions: listOf(ScriptSuggestion, 20)
    .optional()
    .describe("of a run that failed: what could be changed in its script, by what it saw"),
  tests: listOf(PlaywrightTest, 1_000),
  steps: listOf(PlaywrightStep, 2_000),
  requests: listOf(PlaywrightRequest, 500),
  sandboxLevel: z.int().min(0).max(3),
  scriptEgress: z.enum(["kernel", "process"]).describe("what holds the run to the agent's egress policy"),
};

/** `multiStepCheckResult` of an agent. */
export const MultiStepRunResult = z.object(ofEveryRun);
export type MultiStepRunResult = z.infer<typeof MultiStepRunResult>;

/** `browserCheckResult` of an agent. */
export const BrowserRunResult = z.object({
  ...ofEveryRun,
  type: z.enum(["PLAYWRIGHT_TEST", "PLAYWRIGHT"]).describe("PLAYWRIGHT: a plain script, without test()"),
  browserVersion: z.string().max(100),
  pages: listOf(PlaywrightPage, 100),
  traceSummary: PlaywrightTraceSummary,
  console: listOf(PlaywrightConsoleLine, 500),
});
export type BrowserRunResult = z.infer<typeof BrowserRunResult>;
