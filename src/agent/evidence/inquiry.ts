import type { Trail } from "../runners/check-runner.ts";

export interface Inquiry {
  readonly jobId: string;
  readonly trail: Trail;
  /** When the attempt began, on the monotonic clock. */
  readonly startedMs: number;
  readonly mask: (text: string) => string;
  /** Same length: for a capture. */
  readonly maskBytes: (bytes: Uint8Array) => Uint8Array;
}
