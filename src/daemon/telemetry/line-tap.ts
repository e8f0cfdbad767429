import type { TelemetrySettings } from "./settings.ts";

/** Lines that a process logs before its telemetry is there. */
const earlyLines = 100;

/** Hands lines of the log on, to whoever is named later. */
export interface LineTap {
  readonly take: (line: string) => void;
  /** What came so far comes first. Null: nobody wants any. */
  leadTo(listener: ((line: string) => void) | null): void;
}

/** Null where the log is not told. */
export function createLineTap(settings: TelemetrySettings | null): LineTap | null {
  if (settings?.tells.logs !== true) return null;
  const early: string[] = [];
  let to: ((line: string) => void) | null | undefined;
  return {
    take(line) {
      if (to !== undefined) to?.(line);
      else if (early.length < earlyLines) early.push(line);
    },
    leadTo(listener) {
      to = listener;
      for (const line of early.splice(0)) listener?.(line);
    },
  };
}
