import type {
  MultiStepRunResult,
  PlaywrightError,
  PlaywrightLogLine,
  PlaywrightStep,
  PlaywrightTest,
} from "#contract/checks/playwright-run.ts";
import type { EgressRefusal, TlsProblem } from "../egress/egress-proxy.ts";
import { certificateAdvice } from "./certificate-advice.ts";
import type { KeptFile } from "./run-files.ts";
import { isOfKind, type Report, type Seen, type ToldTest } from "./told.ts";

/** What a run left behind. */
export interface Remains {
  readonly report: Report;
  readonly seen: readonly Seen[];
  readonly files: readonly KeptFile[];
  readonly refusals: readonly EgressRefusal[];
  readonly tlsProblems: readonly TlsProblem[];
  /** Screenshots that there was nothing to compare with. */
  readonly firstPictures: number;
  /** Reasons of a script that marked its check as degraded; null where it did not. */
  readonly degradedBy: readonly string[] | null;
  /** Its folder, which is nothing to anybody. */
  readonly workFolder: string;
  /** When it was handed over, and when its end was seen: epoch milliseconds. */
  readonly handedAt: number;
  readonly endedAt: number;
}

export type Told = Pick<
  MultiStepRunResult,
  "startTime" | "endTime" | "errors" | "jobLog" | "degradedBy" | "suggestions" | "tests" | "steps"
> & {
  readonly outcome: "passed" | "failed";
};

// oxlint-disable-next-line no-control-regex -- that is what colours are
const colours = /\u001b\[[\d;]*[A-Za-z]/g;
const mostLines = 2_000;
/** Of a step whose run came to its end first. */
const notEnded = "it had not ended";

/** The run in the contract's words, whatever it told. */
export function tell(remains: Remains): Told {
  const { report, handedAt, endedAt, degradedBy } = remains;
  /** Never outside of what this agent saw: clocks may be set, and scripts have one of their own. */
  const within = (time: number): number => Math.min(endedAt, Math.max(handedAt, time));
  const told = report.tests.map((test) => ({
    ...test,
    startedAt: within(test.startedAt),
    firstStartedAt: within(test.firstStartedAt),
  }));
  const { startTime, endTime } = spanOf(told, handedAt, endedAt);
  const tests = told.map((test) => testOf(test, startTime, endedAt));
  const steps = report.steps.map(
    ({ startedAt, error, durationMs, ...step }): PlaywrightStep => ({
      ...step,
      startMs: within(startedAt) - startTime,
      durationMs: within(durationMs === null ? endedAt : within(startedAt) + durationMs) - within(startedAt),
      error: error === null ? (durationMs === null ? notEnded : null) : plain(error, remains).slice(0, 10_000),
    }),
  );
  const hasFailed = report.errors.some(({ test }) => test === null) || report.tests.some(({ outcome }) => outcome === "unexpected");
  const outcome = hasFailed || report.status !== "passed" ? "failed" : "passed"; // of many tests not all are told
  const marked = degradedBy !== null && { degradedBy: [...degradedBy] };
  return { startTime, endTime, ...marked, tests, steps, outcome, errors: errorsOf(remains), jobLog: logOf(remains) };
}

/** Of the first test's start and the last one's end. */
function spanOf(tests: readonly ToldTest[], handedAt: number, endedAt: number): { readonly startTime: number; readonly endTime: number } {
  if (tests.length === 0) return { startTime: handedAt, endTime: endedAt };
  const startTime = Math.min(...tests.map(({ firstStartedAt }) => firstStartedAt));
  const endTime = Math.max(...tests.map(({ startedAt, durationMs }) => (durationMs === null ? endedAt : startedAt + durationMs)));
  return { startTime, endTime: Math.min(endedAt, Math.max(startTime, endTime)) };
}

function testOf(
  { outcome, status, retry, firstStartedAt, startedAt, durationMs, ...test }: ToldTest,
  startTime: number,
  endedAt: number,
): PlaywrightTest {
  const { title, project, file, line, annotations } = test;
  return {
    title,
    project,
    file,
    line,
    annotations,
    status: statusOf(outcome, status),
    retries: retry,
    startMs: firstStartedAt - startTime,
    durationMs: Math.min(durationMs ?? Number.POSITIVE_INFINITY, endedAt - startedAt),
  };
}

/** A test that was to fail, and did, has passed. */
function statusOf(outcome: ToldTest["outcome"], status: ToldTest["status"]): PlaywrightTest["status"] {
  if (outcome === "flaky" || outcome === "skipped") return outcome;
  if (outcome === "expected") return status === "skipped" ? "skipped" : "passed";
  return status === "passed" ? "failed" : status;
}

function errorsOf(remains: Remains): PlaywrightError[] {
  const { report, seen, files } = remains;
  const soft = new Set(seen.filter(isOfKind("soft")).map(({ test, retry, index }) => `${test} ${retry} ${index}`));
  return report.errors.map((error) => {
    const test = error.test === null ? undefined : report.tests[error.test];
    return {
      message: withAdvice(plain(error.message, remains), remains).slice(0, 10_000),
      stack: error.stack === null ? null : plain(error.stack, remains).slice(0, 10_000),
      location: error.location,
      snippet: error.snippet === null ? null : plain(error.snippet, remains),
      title: test?.title ?? null,
      project: test?.project ?? null,
      retry: error.retry,
      isSoft: test !== undefined && soft.has(`${test.id} ${error.retry} ${error.index}`),
      screenshot: files.find((file) => file.kind === "screenshot" && file.test === error.test)?.name ?? null,
    };
  });
}

/** A browser says only that its proxy refused, and of certificates no setting. */
function withAdvice(message: string, { refusals, tlsProblems }: Remains): string {
  const isAbout = ({ host }: { readonly host: string }): boolean => host !== "" && message.includes(host);
  const refused = refusals.find(isAbout);
  const advice = refused === undefined ? tlsAdvice(message, tlsProblems.find(isAbout)) : policySentence(refused);
  return advice === null ? message : `${advice}\n${message}`;
}

/** Of hosts with a client certificate this agent knows more than the browser. */
function tlsAdvice(message: string, problem: TlsProblem | undefined): string | null {
  const advice = certificateAdvice(message);
  if (problem?.about === "handshake") return advice ?? problem.message;
  return advice === null || problem === undefined ? advice : (certificateAdvice(problem.message) ?? advice);
}

function policySentence({ host }: EgressRefusal): string {
  return `EPOLICY ${host} is not allowed by this agent's egress policy`;
}

function logOf({ report, seen, refusals, tlsProblems, firstPictures, endedAt }: Remains): PlaywrightLogLine[] {
  const handshakes = tlsProblems.filter(({ about }) => about === "handshake").map(({ message }) => message);
  const sentences = [...refusals.map(policySentence), ...handshakes].map((sentence) => sentence.slice(0, 1_000));
  if (firstPictures > 0)
    sentences.push(`there was no picture to compare with for ${firstPictures} of the screenshots: these are the first ones`);
  if (report.tests.length > 0 && report.tests.every(({ outcome }) => outcome === "skipped"))
    sentences.push("every test of this script was skipped: nothing was looked at");
  if (report.errors.some(({ message }) => message.includes("ENOSPC")))
    sentences.push("the disk of this agent was full: the trace of this run, its pictures or videos may be missing");
  const own = sentences.map((msg): PlaywrightLogLine => ({ time: endedAt, level: "WARN", msg }));
  const scripts = seen.filter(isOfKind("log")).map(({ time, level, msg }) => ({ time, level, msg }));
  return [...[...report.output, ...scripts].toSorted((one, other) => one.time - other.time).slice(0, mostLines - own.length), ...own];
}

/** Without colours, and without folders of this agent. */
function plain(text: string, { workFolder }: Remains): string {
  return text.replace(colours, "").replaceAll(`${workFolder}/`, "").replaceAll(workFolder, ".");
}
