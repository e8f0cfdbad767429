import { AppError } from "#domain/app-error.ts";
import { withDeadline } from "../deadline.ts";
import { sleep } from "../sleep.ts";
import type { ItemOutcome, SignalName } from "./telemetry.ts";

export interface OtlpAnswer {
  readonly status: number;
  /** What it asks for, where it does. */
  readonly retryAfterMs?: number | undefined;
}

/** Posts one body to the collector, by the way that this process has to it. @throws {AppError} when no answer came; without the address */
export type PostOtlp = (
  url: URL,
  body: { readonly headers: Readonly<Record<string, string>>; readonly bytes: Uint8Array; readonly limitMs: number },
  signal: AbortSignal,
) => Promise<OtlpAnswer>;

/** The way of this process to the collector. */
export interface OtlpWay {
  readonly post: PostOtlp;
  close(): Promise<void>;
}

export interface DeliveryLog {
  warn(about: object, message: string): void;
  info(about: object, message: string): void;
}

export interface DeliveryDeps extends Pick<OtlpWay, "post"> {
  readonly endpoint: string;
  readonly headers: () => Readonly<Record<string, string>>;
  readonly contentType: string;
  readonly timeoutMs: number;
  readonly log: DeliveryLog;
  /** Aborts when the process ends. */
  readonly signal: AbortSignal;
}

/** Statuses that a collector wants to be asked again after (OTLP specification, "Retryable Response Codes"). */
const retryable: readonly number[] = [429, 502, 503, 504];
const firstPauseMs = 500;

export interface Delivery {
  /** Resolves when the collector has taken it, or it is given up; never throws. */
  deliver(signal: SignalName, bytes: Uint8Array, items: number): Promise<void>;
  /** Of items that never got as far as a delivery. */
  drop(signal: SignalName, items: number): void;
  counts(): ReadonlyMap<`${SignalName} ${ItemOutcome}`, number>;
  /** Resolves when no delivery is under way. */
  settled(): Promise<void>;
}

/** Brings telemetry to its collector, counts what got lost, and says once that the collector is away, and once that it is back. */
export function createDelivery(deps: DeliveryDeps): Delivery {
  const counts = new Map<`${SignalName} ${ItemOutcome}`, number>();
  let lost = 0;
  let isAway = false;

  function count(signal: SignalName, outcome: ItemOutcome, items: number): void {
    counts.set(`${signal} ${outcome}`, (counts.get(`${signal} ${outcome}`) ?? 0) + items);
    if (outcome !== "sent" && isAway) lost += items;
  }

  function failed(signal: SignalName, items: number, reason: string): void {
    if (!isAway && !deps.signal.aborted)
      deps.log.warn({ signal, reason }, "telemetry cannot be delivered: what cannot wait any longer is dropped and counted");
    isAway = true;
    count(signal, "failed", items);
  }

  function succeeded(signal: SignalName, items: number): void {
    count(signal, "sent", items);
    if (isAway) deps.log.info({ lost }, "telemetry is delivered again");
    isAway = false;
    lost = 0;
  }

  /** Null: it was taken. @param seen gets why the last try failed: what a deadline says of itself is less */
  async function trouble(signal: SignalName, bytes: Uint8Array, seen: { reason?: string }, bounded: AbortSignal): Promise<string | null> {
    const url = new URL(`${deps.endpoint}/v1/${signal}`);
    const headers = { ...deps.headers(), "content-type": deps.contentType };
    for (let pauseMs = firstPauseMs; ; pauseMs *= 2) {
      const answer = await deps.post(url, { headers, bytes, limitMs: deps.timeoutMs }, bounded).catch((error: unknown) => {
        bounded.throwIfAborted();
        return { status: 0, reason: error instanceof AppError ? error.message : "no answer came", retryAfterMs: undefined };
      });
      const { status } = answer;
      if (status >= 200 && status < 300) return null;
      seen.reason = "reason" in answer ? answer.reason : `the collector answered ${status}`;
      if (status !== 0 && !retryable.includes(status)) return seen.reason;
      await sleep(Math.max(pauseMs, answer.retryAfterMs ?? 0), bounded);
      bounded.throwIfAborted();
    }
  }

  async function delivered(signal: SignalName, bytes: Uint8Array, items: number): Promise<void> {
    const seen: { reason?: string } = {};
    const reason = await withDeadline(deps.signal, deps.timeoutMs, "delivery of telemetry", (bounded) =>
      trouble(signal, bytes, seen, bounded),
    ).catch((error: unknown) => seen.reason ?? (error instanceof Error ? error.message : "it was given up"));
    if (reason === null) succeeded(signal, items);
    else failed(signal, items, reason);
  }

  const underWay = new Set<Promise<void>>();
  return {
    deliver(signal, bytes, items) {
      const work = delivered(signal, bytes, items).finally(() => underWay.delete(work));
      underWay.add(work);
      return work;
    },
    drop: (signal, items) => count(signal, "dropped", items),
    counts: () => counts,
    settled: async () => void (await Promise.all(underWay)),
  };
}
