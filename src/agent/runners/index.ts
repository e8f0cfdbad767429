import type { SecureContext } from "node:tls";
import type { CheckType } from "#contract/checks/index.ts";
import { createApiRunner } from "./api/api-runner.ts";
import type { CheckRunner } from "./check-runner.ts";

/** A check type without a runner does not compile. */
export type Runners = { readonly [T in CheckType]: CheckRunner<T> };

/** @param trust what probes trust, from `createTrust` */
export function createRunners(trust: SecureContext): Runners {
  return { API: createApiRunner(trust) };
}
