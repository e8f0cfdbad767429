import { ROOT_CONTEXT, SeverityNumber, TraceFlags, trace } from "@opentelemetry/api";
import type { Resource } from "@opentelemetry/resources";
import { BatchLogRecordProcessor, LoggerProvider, type ReadableLogRecord } from "@opentelemetry/sdk-logs";
import { version } from "../version.ts";
import type { Bounded, Exporter } from "./exporting.ts";
import { withoutQueries } from "./without-queries.ts";

const severities: Readonly<Record<string, SeverityNumber>> = {
  trace: SeverityNumber.TRACE,
  debug: SeverityNumber.DEBUG,
  info: SeverityNumber.INFO,
  warn: SeverityNumber.WARN,
  error: SeverityNumber.ERROR,
  fatal: SeverityNumber.FATAL,
};
/** Of one attribute; stacks are longer than this only where nobody reads them. */
const longestValue = 8_192;

export interface LogFeedOptions {
  readonly exporter: Exporter<ReadableLogRecord[]>;
  readonly queue: Bounded;
  readonly batch: object;
}

/** Tells lines of the log as they stand on standard error, scrubbed, but for queries of addresses: the first start logs one with a token. */
export function createLogFeed(
  resource: Resource,
  { exporter, queue, batch }: LogFeedOptions,
): { readonly take: (line: string) => void; readonly close: () => Promise<void> } {
  const provider = new LoggerProvider({ resource, processors: [new BatchLogRecordProcessor({ exporter, ...batch })] });
  const logger = provider.getLogger("outpost", version);
  return {
    take(line) {
      const told = parsed(line);
      if (told === null || !queue.enter()) return;
      const { level, time, msg, name: _program, traceId, spanId, ...rest } = told;
      const severityText = String(level);
      logger.emit({
        timestamp: typeof time === "number" ? time : Date.now(),
        severityText,
        severityNumber: severities[severityText] ?? SeverityNumber.UNSPECIFIED,
        body: typeof msg === "string" ? withoutQueries(msg) : "",
        attributes: Object.fromEntries(Object.entries(rest).flatMap(([key, value]) => attribute(key, value))),
        ...(typeof traceId === "string" && typeof spanId === "string" && { context: contextOf(traceId, spanId) }),
      });
    },
    close: () => provider.shutdown(),
  };
}

function parsed(line: string): Readonly<Record<string, unknown>> | null {
  try {
    return JSON.parse(line) as Record<string, unknown>; // our own line
  } catch {
    return null;
  }
}

function attribute(key: string, value: unknown): [string, string | number | boolean][] {
  if (typeof value === "number" || typeof value === "boolean") return [[key, value]];
  if (value === null || value === undefined) return [];
  return [[key, withoutQueries(typeof value === "string" ? value : JSON.stringify(value)).slice(0, longestValue)]];
}

function contextOf(traceId: string, spanId: string): typeof ROOT_CONTEXT {
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: TraceFlags.SAMPLED });
}
