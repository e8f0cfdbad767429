import type { StorageSignals } from "../storage.ts";

/** What one process tells the others. */
export type Signal =
  | { readonly kind: "jobs"; readonly numbers: readonly number[] }
  | { readonly kind: "ended"; readonly numbers: readonly number[] }
  | { readonly kind: "material"; readonly numbers: readonly number[] }
  | { readonly kind: "schedule" }
  | { readonly kind: "alerts" };

/** Signals within this process; `forward` is where other processes hear of them. A listener must not throw. */
export class Signals implements StorageSignals {
  readonly #listeners = new Set<(signal: Signal) => void>();
  readonly #timers = new Set<NodeJS.Timeout>();
  /** Set by the engine that can reach other processes. */
  forward: (signal: Signal) => void = () => undefined;
  /** Set by the store: within a transaction of several calls nobody is told before its end. */
  afterwards: (tell: () => void) => void = (tell) => tell();

  onJobs(listener: (locationIds: readonly number[]) => void): () => void {
    return this.#on((signal) => signal.kind === "jobs" && listener(signal.numbers));
  }

  onSessionsEnded(listener: (sessionNos: readonly number[]) => void): () => void {
    return this.#on((signal) => signal.kind === "ended" && listener(signal.numbers));
  }

  onMaterialChanged(listener: (accountIds: readonly number[]) => void): () => void {
    return this.#on((signal) => signal.kind === "material" && listener(signal.numbers));
  }

  onScheduleChanged(listener: () => void): () => void {
    return this.#on((signal) => signal.kind === "schedule" && listener());
  }

  onAlerts(listener: () => void): () => void {
    return this.#on((signal) => signal.kind === "alerts" && listener());
  }

  /** Tells this process and the others. */
  send(signal: Signal): void {
    if ("numbers" in signal && signal.numbers.length === 0) return;
    this.afterwards(() => {
      this.receive(signal);
      this.forward(signal);
    });
  }

  /** Sessions ended, and jobs of others may be due for it. */
  sendEnds({ ended, dueAt }: { readonly ended: readonly number[]; readonly dueAt: readonly number[] }): void {
    this.send({ kind: "ended", numbers: ended });
    this.send({ kind: "jobs", numbers: dueAt });
  }

  /** So many alerts were stored. */
  sendAlerts(count: number): void {
    if (count > 0) this.send({ kind: "alerts" });
  }

  /** Tells this process only. */
  receive(signal: Signal): void {
    for (const listener of this.#listeners) listener(signal);
  }

  /** For a job that may not be leased before `delayMs` are over. */
  sendLater(signal: Signal, delayMs: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.send(signal);
    }, delayMs);
    timer.unref();
    this.#timers.add(timer);
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#listeners.clear();
  }

  #on(listener: (signal: Signal) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
