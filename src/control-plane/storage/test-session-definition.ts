import type { RetryStrategy } from "#contract/checks/retry-strategy.ts";
import type { CheckEnvironmentVariable } from "#contract/checks/scripted.ts";
import type { TestSessionMetadata } from "#contract/test-sessions.ts";

/** What a test session says of its runs, beside what their checks say. */
export interface TestSessionDefinition {
  readonly metadata?: TestSessionMetadata | undefined;
  /** The project of code that it belongs to. */
  readonly projectUuid?: string | null;
  /** Nobody asked for it to be kept: who follows it is not told where it is. */
  readonly isUnrecorded?: boolean;
  /** Who follows it is told lines of logs while scripts run. */
  readonly tellsLogs?: boolean;
  /** Screenshots are compared with nothing: whoever follows it gets them, for the code. */
  readonly updatesSnapshots?: boolean;
  /** Undefined: each check's own. */
  readonly retryStrategy?: RetryStrategy | null | undefined;
  /** Values of secret ones only sealed. */
  readonly environmentVariables: readonly (CheckEnvironmentVariable & { readonly sealed?: string })[];
}
