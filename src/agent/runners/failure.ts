import { hasCode } from "#domain/app-error.ts";
import { ProbeError } from "../net/probe-error.ts";
import type { ProbeFailure } from "./check-runner.ts";

/** What an error means for the check, or null where it is not the check's business: another abort, or a bug. */
export function failureOf(error: unknown, signal: AbortSignal): ProbeFailure | null {
  if (error instanceof ProbeError) return failureFrom(error);
  if (signal.aborted && error === signal.reason && hasCode(error, "deadline_exceeded")) {
    return { code: "ETIMEDOUT", message: `total time of the check: ${error.message}`, side: "target" };
  }
  return null;
}

/** Without its stack and cause, which are nobody's business. */
export function failureFrom({ code, message, side }: ProbeError): ProbeFailure {
  return { code, message, side };
}
