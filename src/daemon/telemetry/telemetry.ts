import type { Registry } from "prom-client";

/** Part of a trace, told when it has ended. */
export interface Span {
  readonly name: string;
  readonly kind: "internal" | "server" | "client" | "producer" | "consumer";
  readonly traceId: string;
  readonly spanId: string;
  /** Null begins a trace. */
  readonly parentId: string | null;
  /** Epoch milliseconds, with fractions. */
  readonly startMs: number;
  readonly endMs: number;
  /** Undefined ones are left out. Never a secret, a header, a body or a query. */
  readonly attributes: Readonly<Record<string, string | number | boolean | undefined>>;
  /** A sentence without secrets where it did not go well; null where it did. */
  readonly error: string | null;
}

export interface Traces {
  /** Whether a trace is recorded. Each process comes to the same answer. @param parent what the process before decided; null where there was none */
  isSampled(traceId: string, parent: boolean | null): boolean;
  /** Never waits: when the queue is full, the span is dropped and counted. */
  record(span: Span): void;
}

/** One run that has ended. */
export interface CheckRun {
  readonly checkId: string;
  readonly checkName: string;
  readonly checkType: string;
  readonly location: string;
  readonly verdict: string;
  readonly isUp: boolean;
  readonly seconds: number;
}

export const signalNames = ["traces", "metrics", "logs"] as const;
export type SignalName = (typeof signalNames)[number];
/** `dropped`: the queue was full. `failed`: the collector was away or did not take it. */
export type ItemOutcome = "sent" | "dropped" | "failed";

/** What this process tells an OpenTelemetry collector. */
export interface Telemetry {
  /** Null: there are none. */
  readonly traces: Traces | null;
  /** Null: nobody is told. */
  readonly countRun: ((run: CheckRun) => void) | null;
  /** Takes a line of the log, as JSON; null: nobody wants it. */
  readonly takeLine: ((line: string) => void) | null;
  /** Tells what this registry holds as well, from now on. */
  observe(registries: readonly Registry[]): void;
  /** Spans, points and lines so far. */
  counts(): ReadonlyMap<`${SignalName} ${ItemOutcome}`, number>;
  /** Sends what waits, within `limitMs`; what comes later is let go. */
  stop(limitMs: number): Promise<void>;
}

export const noTelemetry: Telemetry = {
  traces: null,
  countRun: null,
  takeLine: null,
  observe: () => undefined,
  counts: () => new Map(),
  stop: async () => undefined,
};
