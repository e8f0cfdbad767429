import type { OtlpDeps } from "./otlp.ts";
import type { TelemetrySettings } from "./settings.ts";
import { noTelemetry, type Telemetry } from "./telemetry.ts";

/** Loads the OpenTelemetry SDK only where something is told: elsewhere a process has none of it in memory. */
export async function loadTelemetry(settings: TelemetrySettings | null, deps: () => OtlpDeps): Promise<Telemetry> {
  if (settings === null) return noTelemetry;
  const { createOtlp } = await import("./otlp.ts");
  return createOtlp(settings, deps());
}
