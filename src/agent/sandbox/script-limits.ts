/** What one phase of scripts may take. */
export interface ScriptLimits {
  /** Wall clock of each script, ms (behaviour 4). */
  readonly scriptMs: number;
  /** A child that is not ready by then is given up, ms. */
  readonly startMs: number;
  /** Memory beyond what an idle child has. */
  readonly memoryBytes: number;
  /** How often the memory is looked at, ms. */
  readonly watchMs: number;
  /** Request, response and variables as they are handed over (behaviour 4). */
  readonly handedBytes: number;
  /** Scripts and snippets together. */
  readonly codeBytes: number;
  /** The outcome, as one line. */
  readonly answerBytes: number;
  /** Of `console`, kept. */
  readonly logBytes: number;
  /** Of standard output and of standard error. */
  readonly outputBytes: number;
}

const [kilobyte, megabyte] = [1024, 1024 * 1024];

export const scriptLimits: ScriptLimits = {
  scriptMs: 10_000,
  startMs: 15_000,
  memoryBytes: 256 * megabyte,
  watchMs: 100,
  handedBytes: 256 * kilobyte,
  codeBytes: 2 * megabyte,
  answerBytes: 2 * megabyte,
  logBytes: megabyte,
  outputBytes: megabyte,
};
