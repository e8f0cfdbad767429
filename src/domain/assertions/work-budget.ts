/** Thrown inside one assertion, which then fails with this message; never leaves `evaluateAssertions`. */
export class TooMuchWork extends Error {
  override readonly name = "TooMuchWork";
}

/** Why an assertion was not evaluated. */
export function tooMuchWork(what: string): string {
  return `${what} needs too much work on a response of this size`;
}

/**
 * How much the assertions of one attempt may cost together, in steps of about 20 ns: 100 million are about two
 * seconds on a slow core. Linear engines alone do not bound a run: a program of 1,800 instructions took 86 s on 2 MB.
 */
export class WorkBudget {
  #steps: number;
  #hasRefused = false;

  constructor(steps = 100_000_000) {
    this.#steps = steps;
  }

  /** Something was not done that a larger budget might have allowed. */
  get hasRefused(): boolean {
    return this.#hasRefused;
  }

  /** @throws {TooMuchWork} when the budget is used up; what was asked for is then not done */
  spend(steps: number, what: string): void {
    if (steps > this.#steps) {
      this.#hasRefused = true;
      throw new TooMuchWork(tooMuchWork(what));
    }
    this.#steps -= steps;
  }
}
