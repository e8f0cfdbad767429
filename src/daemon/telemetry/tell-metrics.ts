import { Counter, type Registry } from "prom-client";
import { noTelemetry, type SignalName, signalNames, type Telemetry } from "./telemetry.ts";

/** Has these told as metrics, and the first of them count what became of telemetry, as nobody else can when its collector is away. @param name of that count */
export function tellMetrics(telemetry: Telemetry, registries: readonly Registry[], name: string): void {
  if (telemetry === noTelemetry) return;
  telemetry.observe(registries);
  countItems(name, registries.slice(0, 1), telemetry);
}

function countItems(name: string, registers: Registry[], telemetry: Telemetry): void {
  const counter: Counter = new Counter({
    name,
    help: "Spans, points of metrics and lines of the log for the collector: sent, dropped as the queue was full, or failed as it did not take them",
    labelNames: ["signal", "outcome"],
    registers,
    collect() {
      counter.reset();
      const counts = telemetry.counts();
      for (const signal of signalNames)
        for (const outcome of ["sent", "dropped", "failed"] as const)
          counter.inc({ signal, outcome }, counts.get(keyOf(signal, outcome)) ?? 0);
    },
  });
}

function keyOf(signal: SignalName, outcome: "sent" | "dropped" | "failed"): `${SignalName} ${"sent" | "dropped" | "failed"}` {
  return `${signal} ${outcome}`;
}
