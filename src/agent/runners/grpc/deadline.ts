import { ProbeError } from "../../net/probe-error.ts";

/** A signal that ends with another one, or at the deadline of a call, with an ETIMEDOUT that names the step it was in. */
export class Deadline implements Disposable {
  readonly #abort = new AbortController();
  readonly #parent: AbortSignal;
  readonly #timer: NodeJS.Timeout;

  /** @param step where the call is */
  constructor(parent: AbortSignal, limitMs: number, step: () => string) {
    this.#parent = parent;
    parent.throwIfAborted();
    parent.addEventListener("abort", this.#onAbort);
    this.#timer = setTimeout(() => {
      this.#abort.abort(new ProbeError("ETIMEDOUT", `the call was not done within its timeout of ${limitMs} ms (${step()})`));
    }, limitMs);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#parent.removeEventListener("abort", this.#onAbort);
  }

  readonly #onAbort = (): void => this.#abort.abort(this.#parent.reason);
}
