import { AppError } from "#domain/app-error.ts";
import type { OtlpWay } from "./delivery.ts";
import { pairsOf, type TelemetrySettings } from "./settings.ts";
import { signalNames } from "./telemetry.ts";

/** A doctor waits no longer, however long deliveries may. */
const longestMs = 10_000;

/** What one empty request for each signal comes to. */
export type CollectorAnswer = { readonly taken: readonly string[] } | { readonly trouble: string };

/** Asks the collector of these settings, by the way that telemetry takes, with nothing in the requests. */
export async function askCollector(settings: TelemetrySettings, way: OtlpWay, signal: AbortSignal): Promise<CollectorAnswer> {
  const isJson = settings.protocol === "http/json";
  const type = { "content-type": isJson ? "application/json" : "application/x-protobuf" };
  const headers = { ...(settings.headers === null ? {} : pairsOf(settings.headers.reveal())), ...type };
  const taken = signalNames.filter((name) => settings.tells[name]);
  const limitMs = Math.min(settings.timeoutMs, longestMs);
  try {
    for (const name of taken) {
      const bytes = Buffer.from(isJson ? "{}" : ""); // an empty message of protobuf has no bytes
      const { status } = await way.post(new URL(`${settings.endpoint}/v1/${name}`), { headers, bytes, limitMs }, signal);
      if (status < 200 || status > 299) return { trouble: `it answers ${status} to ${name}` };
    }
    return { taken };
  } catch (error) {
    signal.throwIfAborted();
    return { trouble: error instanceof AppError ? error.message : "no answer came" };
  } finally {
    await way.close();
  }
}
