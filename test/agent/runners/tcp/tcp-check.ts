import type { z } from "zod";
import { TcpCheckResult, TcpCheckSettings, type TcpRequest } from "#contract/checks/tcp.ts";
import { createTrust } from "../../../../src/agent/net/tls.ts";
import type { Observation, RunContext } from "../../../../src/agent/runners/check-runner.ts";
import { createTcpRunner } from "../../../../src/agent/runners/tcp/tcp-runner.ts";
import { runContext } from "../../../support/run-context.ts";

export type TcpInput = Partial<z.input<typeof TcpRequest>> & { readonly port: number };

export interface TcpCheckOptions extends Partial<RunContext> {
  readonly maxResponseTime?: number;
}

/** Runs TCP checks, of 127.0.0.1 where nothing else is said; the result must fit the contract. */
export function tcpChecks(extraCas: readonly string[] = []): (request: TcpInput, options?: TcpCheckOptions) => Promise<Observation<"TCP">> {
  const trust = createTrust(extraCas);
  const runner = createTcpRunner(() => trust);
  return async (request, { maxResponseTime, ...context } = {}) => {
    const settings = TcpCheckSettings.parse({
      request: { hostname: "127.0.0.1", ...request },
      degradedResponseTime: null,
      maxResponseTime: maxResponseTime ?? null,
    });
    const seen = await runner.run(settings, runContext(context));
    TcpCheckResult.parse(seen.result);
    return seen;
  };
}
