import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Assertion, EvaluatedAssertion } from "#contract/checks/assertion.ts";
import { withDeadline } from "#daemon/deadline.ts";
import { sleep } from "#daemon/sleep.ts";
import { untilAborted } from "#daemon/until-aborted.ts";
import { AppError } from "#domain/app-error.ts";
import { evaluateAssertions, refusedAssertion, searchesText } from "#domain/assertions/evaluate.ts";
import type { AssertionFacts } from "#domain/assertions/facts.ts";
import { WorkBudget } from "#domain/assertions/work-budget.ts";

/** The assertions of one attempt and what they read, as it travels to the thread. */
export interface AssertionTask {
  readonly assertions: readonly Assertion[];
  readonly facts: Omit<AssertionFacts, "text" | "json">;
  readonly text: string;
  readonly json: { readonly value: unknown } | null;
}

export interface AssertionThreadLimits {
  /** Processor time that a task may take before it is given up. */
  readonly taskMs: number;
  /** Heap that queries and comparisons may fill. Parsing is bounded by `parsedJson`: the engine lets it pass any limit. */
  readonly heapMb: number;
  /** How long a thread without a task is kept. */
  readonly idleMs: number;
}

/** Up to here the main thread takes 1 to 20 ms for a text. */
const longText = 128 * 1024;
/** About 50 ms of the main thread. */
const hereSteps = 2_500_000;
const startMs = 10_000;
/** A machine that has no processor time for us for this long spoils the attempt; it says nothing about the target. */
const starvedMs = 10_000;
/** After a longer text the thread goes at once: what it leaves in the heap is many times as large and stays until there is more to do. */
const leavesMuch = 4 * 1024 * 1024;

/** Evaluates what is soon done on this thread; null when it is not, and nothing else has come of it then. */
export function evaluatedHere(assertions: readonly Assertion[], facts: AssertionFacts): EvaluatedAssertion[] | null {
  if (facts.json === undefined && assertions.some(searchesText) && facts.text().length > longText) return null;
  const budget = new WorkBudget(hereSteps);
  const evaluated = evaluateAssertions(assertions, facts, budget);
  return budget.hasRefused ? null : evaluated;
}

/**
 * Evaluates assertions that take long in one worker thread, so that they delay no other run's times. It starts with
 * the first task and ends when it was idle for a while. Tasks take turns, and those that wait hold nothing but what
 * their attempts hold anyway, so that the number of runs bounds them.
 */
export class AssertionThread {
  readonly #limits: AssertionThreadLimits;
  #lastTurn: Promise<void> = Promise.resolve();
  #turns = 0;
  #worker: Worker | null = null;
  #idle: NodeJS.Timeout | undefined;

  constructor(limits: AssertionThreadLimits = { taskMs: 2_000, heapMb: 512, idleMs: 60_000 }) {
    this.#limits = limits;
  }

  /**
   * As `evaluateAssertions`; those that search the text fail where that takes too long or too much memory.
   *
   * @throws {AppError} deadline_exceeded when this machine had no time for it, unavailable when no thread starts
   * @throws the reason of `signal`, at once
   */
  async evaluate(assertions: readonly Assertion[], facts: AssertionFacts, signal: AbortSignal): Promise<EvaluatedAssertion[]> {
    const before = this.#lastTurn;
    const turn = Promise.withResolvers<void>();
    this.#lastTurn = turn.promise;
    this.#turns += 1;
    try {
      await untilAborted(signal, before);
      return (await this.#answer(taskOf(assertions, facts), signal)) ?? givenUp(assertions, facts);
    } finally {
      this.#turns -= 1;
      void before.then(turn.resolve);
    }
  }

  /** Ends the thread; the next task starts another. */
  close(): void {
    clearTimeout(this.#idle);
    void this.#worker?.terminate();
    this.#worker = null;
  }

  /** Null where the task was given up. A thread that did not answer is not used again. */
  async #answer(task: AssertionTask, signal: AbortSignal): Promise<EvaluatedAssertion[] | null> {
    clearTimeout(this.#idle);
    let answer: EvaluatedAssertion[] | null = null;
    try {
      const worker = await this.#started(signal);
      answer = await withDeadline(signal, starvedMs, "the evaluation of the assertions", (limited) => {
        return answerOf(worker, task, this.#limits.taskMs, limited);
      });
    } finally {
      if (answer === null || (this.#turns === 1 && task.text.length > leavesMuch)) this.close();
      else this.#rest();
    }
    return answer;
  }

  async #started(signal: AbortSignal): Promise<Worker> {
    this.#worker?.ref();
    if (this.#worker !== null) return this.#worker;
    try {
      const worker = newWorker(this.#limits.heapMb);
      this.#worker = worker;
      worker.once("exit", () => {
        if (this.#worker === worker) this.#worker = null;
      });
      await withDeadline(signal, startMs, "its start", (limited) => once(worker, "message", { signal: limited }));
      return worker;
    } catch (cause) {
      signal.throwIfAborted();
      throw new AppError("unavailable", "the thread that evaluates assertions did not start", { cause });
    }
  }

  #rest(): void {
    this.#worker?.unref();
    this.#idle = setTimeout(() => this.close(), this.#limits.idleMs).unref();
  }
}

function newWorker(heapMb: number): Worker {
  // The compiler rewrites import specifiers but not URLs, so the extension follows this file's own.
  const isSource = import.meta.url.endsWith(".ts");
  const worker = new Worker(new URL(isSource ? "./assertion-worker.ts" : "./assertion-worker.js", import.meta.url), {
    name: "assertions",
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
    // `#domain/…` is source there, however this process was started.
    ...(isSource ? { execArgv: ["--disable-warning=ExperimentalWarning", "--conditions=source"] } : {}),
  });
  return worker.on("error", () => {}); // told to whoever waits; an idle thread that ends is started again
}

/** Null when the thread used up its time or memory. @throws an error of the worker, which is a bug */
async function answerOf(worker: Worker, task: AssertionTask, taskMs: number, signal: AbortSignal): Promise<EvaluatedAssertion[] | null> {
  const ended = new AbortController();
  try {
    const answered = once(worker, "message", { signal: ended.signal }) as Promise<[EvaluatedAssertion[]]>;
    const usedUp = processorTimeUsed(worker, taskMs, ended.signal).then(() => [null] as const);
    worker.postMessage(task);
    const [answer] = await untilAborted(signal, Promise.race([answered, usedUp]));
    return answer;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY") return null;
    throw error;
  } finally {
    ended.abort();
  }
}

/** Resolves when the thread used this much of a processor. Not wall time: a busy machine must not fail a check. */
async function processorTimeUsed(worker: Worker, limitMs: number, signal: AbortSignal): Promise<void> {
  const before = worker.cpuUsage().catch(() => undefined);
  let leftMs = limitMs;
  while (leftMs > 0 && !signal.aborted) {
    await sleep(Math.max(leftMs, 10), signal);
    // Answered late where the engine parses, and not at all by a thread that ended.
    const used = signal.aborted ? undefined : await worker.cpuUsage(await before).catch(() => undefined);
    if (used !== undefined) leftMs = limitMs - (used.user + used.system) / 1_000;
  }
}

function taskOf(assertions: readonly Assertion[], { text, json, ...facts }: AssertionFacts): AssertionTask {
  return { assertions, facts, text: text(), json: json === undefined ? null : { value: json() } };
}

/** What can be told without searching the text. */
function givenUp(assertions: readonly Assertion[], facts: AssertionFacts): EvaluatedAssertion[] {
  const budget = new WorkBudget(hereSteps);
  return assertions.flatMap((assertion) => {
    return searchesText(assertion) ? refusedAssertion(assertion) : evaluateAssertions([assertion], facts, budget);
  });
}
