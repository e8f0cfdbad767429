import type { CheckType } from "#contract/checks/index.ts";
import type { PreparedCheck } from "../judgement/check-settings.ts";
import type { CheckRunner, RunContext } from "../runners/check-runner.ts";
import type { RunIdentity } from "./run-variables.ts";

/** One attempt of a check that is a script, or has scripts, variables, certificates or templates. */
export interface RunTask<T extends CheckType> extends RunIdentity {
  readonly type: T;
  readonly runner: CheckRunner<T>;
  readonly check: Pick<PreparedCheck<T>, "settings" | "scrub">;
  /** Its `proxyUrl` may be a template. */
  readonly context: RunContext;
  /** Epoch ms on the control plane's clock. */
  readonly nowMs: () => number;
}
