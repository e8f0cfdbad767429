import type { z } from "zod";
import { SslCheckResult, SslCheckSettings, type SslConfig } from "#contract/checks/ssl.ts";
import { createTrust } from "../../../../src/agent/net/tls.ts";
import type { Observation, RunContext } from "../../../../src/agent/runners/check-runner.ts";
import { createSslRunner } from "../../../../src/agent/runners/ssl/ssl-runner.ts";
import { runContext } from "../../../support/run-context.ts";

export type SslInput = Partial<z.input<typeof SslConfig>> & { readonly port: number };

/** Runs SSL monitors of 127.0.0.1 with the given authorities trusted; the result must fit the contract. */
export function sslChecks(extraCas: readonly string[]): (config: SslInput, context?: Partial<RunContext>) => Promise<Observation<"SSL">> {
  const trust = createTrust(extraCas);
  const runner = createSslRunner(() => trust);
  return async (config, context = {}) => {
    const request = { sslConfig: { hostname: "127.0.0.1", serverName: "localhost", ...config } };
    const settings = SslCheckSettings.parse({ request, degradedResponseTime: null, maxResponseTime: null });
    const seen = await runner.run(settings, runContext(context));
    SslCheckResult.parse(seen.result);
    return seen;
  };
}
