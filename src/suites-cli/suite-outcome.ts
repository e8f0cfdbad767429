import { z } from "zod";
import { MissedReason } from "#contract/check-results.ts";
import { PlaywrightError, PlaywrightTest } from "#contract/checks/playwright-run.ts";

/** What came of a suite at one location. */
export interface SuiteOutcome {
  readonly location: string;
  /** Where people read the whole of it. */
  readonly link: string;
  /** notRun: no agent ran it, or its agent could not. */
  readonly status: "passed" | "failed" | "notRun";
  /** What went wrong, in a sentence; null where nothing did. */
  readonly reason: string | null;
  readonly durationMs: number | null;
  readonly tests: readonly ToldTest[];
  readonly errors: readonly ToldError[];
}

/** What is shown of a test and of an error: agents of other versions may tell less of them, and more. */
const ToldTest = PlaywrightTest.pick({ title: true, project: true, file: true, line: true, status: true, retries: true }).partial({
  project: true,
  line: true,
  retries: true,
});
export type ToldTest = z.output<typeof ToldTest>;

const ToldError = PlaywrightError.pick({ message: true, title: true, project: true, location: true }).partial({
  title: true,
  project: true,
  location: true,
});
export type ToldError = z.output<typeof ToldError>;

const Told = z.object({
  tests: z.array(ToldTest.nullable().catch(null)).catch([]),
  errors: z.array(ToldError.nullable().catch(null)).catch([]),
});

/** Of a result of a check, or of a test session. */
export interface ReadResult {
  readonly runLocation: string;
  readonly hasErrors: boolean;
  readonly hasFailures: boolean;
  readonly isCancelled: boolean;
  /** Nobody ran it, or its agent spoiled it. */
  readonly aborted: boolean;
  readonly errorMessage: string | null;
  readonly missedReason?: MissedReason | null;
  readonly responseTime: number | null;
  readonly playwrightCheckResult?: unknown;
}

/** Why a run was missed, by the reasons of the contract. */
const missed: Readonly<Record<MissedReason, string>> = {
  no_agent:
    "No agent at the location could run it: none was connected, or none runs suites. Run outpost doctor at an agent to see what is missing",
  no_capacity: "All agents at the location were busy",
  expired: "The agent delivered no result in time",
  agent_lost: "The agent disconnected during the run",
  overlap: "The previous run had not finished",
};

/** A sentence; a test session tells a reason by its name where there is no sentence. */
function sentenceOf({ errorMessage, missedReason = null }: ReadResult): string | null {
  const reason = MissedReason.safeParse(errorMessage ?? missedReason);
  return reason.success ? missed[reason.data] : errorMessage;
}

export function suiteOutcome(result: ReadResult, link: string): SuiteOutcome {
  const { runLocation: location, isCancelled, aborted, responseTime: durationMs } = result;
  const told = Told.safeParse(result.playwrightCheckResult).data;
  const tests = (told?.tests ?? []).filter((test) => test !== null);
  const errors = (told?.errors ?? []).filter((error) => error !== null);
  const outcome = { location, link, durationMs, tests, errors };
  if (isCancelled) return { ...outcome, status: "notRun", reason: "It was cancelled" };
  if (aborted) return { ...outcome, status: "notRun", reason: sentenceOf(result) ?? missed.no_agent };
  return { ...outcome, status: result.hasErrors || result.hasFailures ? "failed" : "passed", reason: sentenceOf(result) };
}

/** Of all locations. */
export function overallStatus(outcomes: readonly SuiteOutcome[]): SuiteOutcome["status"] {
  if (outcomes.some(({ status }) => status === "failed")) return "failed";
  return outcomes.length === 0 || outcomes.some(({ status }) => status === "notRun") ? "notRun" : "passed";
}
