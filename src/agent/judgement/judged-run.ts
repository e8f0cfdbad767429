import type { EvaluatedAssertion } from "#contract/checks/assertion.ts";
import { assertionsAsked, type CheckType, checkTypes, type SettingsOf } from "#contract/checks/index.ts";
import { AppError } from "#domain/app-error.ts";
import { checkRules } from "#domain/check-rules.ts";
import { type Finding, judgeAttempt, type Measure, type Verdict } from "#domain/verdict.ts";
import type { CheckRunner, Observation, RunContext } from "../runners/check-runner.ts";
import { AssertionThread, evaluatedHere } from "./assertion-thread.ts";

/** How long an aborted runner may take to clean up; then the run goes on without it, and its seat is free. */
const cleanUpMs = 1_000;

/** One for the process, like its event loop; nothing runs before there is something to do. */
const thread = new AssertionThread();

/** What one attempt saw, and what follows from it. */
export interface JudgedRun<T extends CheckType> {
  readonly observation: Observation<T>;
  /** Null where no (whole) answer came. */
  readonly assertions: EvaluatedAssertion[] | null;
  readonly measures: readonly Measure[];
  readonly verdict: Verdict;
}

/**
 * Observes within the check type's limit, evaluates the assertions, judges.
 *
 * @throws the reason of `context.signal`, what a runner throws, or an AppError when this machine could not evaluate
 */
export async function judgedRun<T extends CheckType>(
  type: T,
  runner: CheckRunner<T>,
  settings: SettingsOf<T>,
  context: RunContext,
): Promise<JudgedRun<T>> {
  const observation = await observed(type, runner, settings, context);
  return await judged(type, settings, observation, context.signal);
}

/** Observes within the check type's limit. @throws the reason of `context.signal`, or what a runner throws */
export async function observed<T extends CheckType>(
  type: T,
  runner: CheckRunner<T>,
  settings: SettingsOf<T>,
  context: RunContext,
): Promise<Observation<T>> {
  const observation = await watched(context.signal, checkTypes[type].runLimitMs, (signal) => runner.run(settings, { ...context, signal }));
  context.signal.throwIfAborted();
  return observation;
}

/** Evaluates the assertions and judges. @param more what is held against the attempt beside the rules of its type */
export async function judged<T extends CheckType>(
  type: T,
  settings: SettingsOf<T>,
  observation: Observation<T>,
  signal: AbortSignal,
  more: readonly Finding[] = [],
): Promise<JudgedRun<T>> {
  const { statusCode, failure, facts } = observation;
  const asked = assertionsAsked(settings);
  const assertions = failure !== null ? null : (evaluatedHere(asked, facts) ?? (await thread.evaluate(asked, facts, signal)));
  const rules = checkRules[type](settings, observation);
  const findings = more.length === 0 ? rules.findings : [...more, ...rules.findings];
  const verdict = judgeAttempt({ ...rules, findings, statusCode, failure, assertions });
  return { observation, assertions, measures: rules.measures, verdict };
}

/**
 * The watchdog of a run: aborts it at its limit, and goes on without a runner that does not even end then, so that it
 * cannot keep its seat. Not `withDeadline`: every run passes here, and its AbortSignal.any costs 7 us.
 */
async function watched<T>(parent: AbortSignal, limitMs: number, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const { promise: abandoned, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout;
  const abort = (reason: unknown): void => {
    controller.abort(reason);
    clearTimeout(timer);
    timer = setTimeout(() => reject(reason), cleanUpMs);
  };
  const onAbort = (): void => abort(parent.reason);
  timer = setTimeout(() => abort(new AppError("deadline_exceeded", `the check took longer than ${limitMs} ms`)), limitMs);
  parent.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([run(controller.signal), abandoned]);
  } finally {
    clearTimeout(timer);
    parent.removeEventListener("abort", onAbort);
  }
}
