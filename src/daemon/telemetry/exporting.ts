import type { ISerializer } from "@opentelemetry/otlp-transformer";
import { version } from "../version.ts";
import type { Delivery } from "./delivery.ts";
import type { SignalName } from "./telemetry.ts";

/** Of spans, and of lines: what comes while so many wait is dropped. */
const queueLimit = 4_096;
const batchItems = 512;
const batchMs = 2_000;

/** What the batches of one signal end in. Failures are counted where they happen, so that the SDK never hears of any. */
export interface Exporter<T> {
  export(items: T, done: (result: { code: number }) => void): void;
  shutdown(): Promise<void>;
  forceFlush(): Promise<void>;
}

/** A queue with a bound, before the one of the SDK, which does not tell what it drops. */
export interface Bounded {
  /** False: it is full, and the item is counted as dropped. */
  enter(): boolean;
}

export const scope = { name: "outpost", version };

/** Seconds and nanoseconds. */
export function instantOf(ms: number): [number, number] {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1_000_000)];
}

/** What its batches are made by: a deadline of the SDK's own, behind that of the delivery. */
export function batchOptions(timeoutMs: number) {
  return {
    maxQueueSize: 2 * queueLimit,
    maxExportBatchSize: batchItems,
    scheduledDelayMillis: batchMs,
    exportTimeoutMillis: timeoutMs + 5_000,
  };
}

export function boundedExport<T>(
  signal: SignalName,
  delivery: Delivery,
  serializer: ISerializer<T, unknown>,
  count: (items: T) => number,
): { readonly exporter: Exporter<T>; readonly queue: Bounded } {
  let waiting = 0;
  const inner = exporterOf(signal, delivery, serializer, count);
  return {
    queue: {
      enter() {
        const isFull = waiting >= queueLimit;
        if (isFull) delivery.drop(signal, 1);
        else waiting += 1;
        return !isFull;
      },
    },
    exporter: {
      ...inner,
      export(items, done) {
        inner.export(items, (result) => {
          waiting -= count(items); // until then they are held
          done(result);
        });
      },
    },
  };
}

export function exporterOf<T>(
  signal: SignalName,
  delivery: Delivery,
  serializer: ISerializer<T, unknown>,
  count: (items: T) => number,
): Exporter<T> {
  return {
    export(items, done) {
      const bytes = serializer.serializeRequest(items);
      const end = (): void => done({ code: 0 });
      if (bytes === undefined) end();
      else void delivery.deliver(signal, bytes, count(items)).then(end);
    },
    shutdown: async () => undefined,
    forceFlush: async () => undefined,
  };
}
