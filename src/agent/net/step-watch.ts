import { ProbeError } from "./probe-error.ts";

/**
 * The one timer and the one abort listener of an attempt. Each step (connect, TLS, headers …) takes them over with
 * its own limit and its own way to stop; a signal per step would cost more than the step's own work.
 */
export class StepWatch {
  readonly signal: AbortSignal;
  #step = "";
  #limitMs = 0;
  #stop: ((reason: unknown) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(signal: AbortSignal) {
    signal.throwIfAborted();
    this.signal = signal;
    signal.addEventListener("abort", this.#onAbort);
  }

  /** Begins a step: `stop` is called once, with the reason, if the step is late (ETIMEDOUT) or the run is aborted, or was. */
  enter(step: string, limitMs: number, stop: (reason: unknown) => void): void {
    if (this.signal.aborted) return stop(this.signal.reason);
    this.#step = step;
    this.#stop = stop;
    if (this.#timer !== undefined && this.#limitMs === limitMs) {
      this.#timer.refresh();
      return;
    }
    clearTimeout(this.#timer);
    this.#limitMs = limitMs;
    this.#timer = setTimeout(this.#onLate, limitMs);
  }

  /** Something moved: an idle limit starts again. */
  progress(): void {
    this.#timer?.refresh();
  }

  /** Ends the step under way. The timer goes on for the next one, which often has the same limit; alone it does nothing. */
  leave(): void {
    this.#stop = undefined;
  }

  /** Ends the watch; nothing of it is left afterwards. */
  close(): void {
    this.#clear();
    this.signal.removeEventListener("abort", this.#onAbort);
  }

  readonly #onAbort = (): void => this.#end(this.signal.reason);

  readonly #onLate = (): void => this.#end(new ProbeError("ETIMEDOUT", `${this.#step} took longer than ${this.#limitMs} ms`));

  #end(reason: unknown): void {
    const stop = this.#stop;
    this.#clear();
    stop?.(reason);
  }

  #clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#stop = undefined;
  }
}
