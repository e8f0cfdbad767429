import { patternOf } from "#domain/assertions/pattern.ts";
import { TooMuchWork, WorkBudget } from "#domain/assertions/work-budget.ts";
import { ProbeError } from "../../net/probe-error.ts";

/** The estimated time of one step of the engine (ms); see WorkBudget. */
const stepMs = 20e-6;
/** All looks of an attempt: 0.5 s of the thread that times the other runs at the worst; enough for 60 instructions on 64 KB that drip in. */
const budgetSteps = 40_000_000;
/** While an answer drips in, looking takes at most this share of the time. */
const share = 1 / 10;

/**
 * A regular expression that an answer must come to match. The whole answer is looked at each time, so looks are spaced:
 * at once where it grew by an eighth, else so seldom that they take a tenth of the time; and all of them share one budget.
 */
export class Expectation {
  readonly #pattern: Exclude<ReturnType<typeof patternOf>, { problem: string }>;
  readonly #budget = new WorkBudget(budgetSteps);
  #lookedAtBytes = 0;
  #problem: string | null = null;

  /** @throws {ProbeError} EBADEXPECT when the engine does not take the expression */
  constructor(source: string) {
    const pattern = patternOf(source);
    if ("problem" in pattern) throw new ProbeError("EBADEXPECT", `what is expected cannot be looked for: ${pattern.problem}`);
    this.#pattern = pattern;
  }

  /** Why looking was given up, or null. */
  get problem(): string | null {
    return this.#problem;
  }

  /** How long to wait before looking at an answer of `length` bytes (ms); 0 is now. */
  waitMs(length: number): number {
    if (length >= this.#lookedAtBytes * 1.125) return 0;
    return Math.max(1, (this.#pattern.size * length * stepMs) / share);
  }

  isMetBy(answer: Buffer): boolean {
    if (this.#problem !== null) return false;
    this.#lookedAtBytes = answer.length;
    const { engine, size } = this.#pattern;
    try {
      this.#budget.spend(size * answer.length, "the expected expression");
      return engine.test(answer.toString("utf8")); // whether, not where, which would take ten times as long
    } catch (error) {
      if (!(error instanceof TooMuchWork)) throw error;
      this.#problem = error.message;
      return false;
    }
  }
}
