import { ApiCheckResult, ApiCheckSettings, type ApiRequest } from "#contract/checks/api.ts";
import { createTrust } from "../../../../src/agent/net/tls.ts";
import { createApiRunner } from "../../../../src/agent/runners/api/api-runner.ts";
import type { Observation, RunContext } from "../../../../src/agent/runners/check-runner.ts";
import { runContext } from "../../../support/run-context.ts";

export type RequestInput = Partial<Omit<ApiRequest, "headers" | "queryParameters">> & {
  readonly headers?: readonly { key: string; value: string; locked?: boolean }[];
  readonly queryParameters?: readonly { key: string; value: string }[];
};

/** Runs API checks with the given authorities trusted; the result must fit the contract. */
export function apiChecks(
  extraCas: readonly string[] = [],
): (request: RequestInput, context?: Partial<RunContext>) => Promise<Observation<"API">> {
  const trust = createTrust(extraCas);
  const runner = createApiRunner(() => trust);
  return async (request, context = {}) => {
    const settings = ApiCheckSettings.parse({ request: { method: "GET", ...request }, degradedResponseTime: null, maxResponseTime: null });
    const seen = await runner.run(settings, runContext(context));
    ApiCheckResult.parse(seen.result);
    return seen;
  };
}
