import type { z } from "zod";
import { GrpcCheckResult, GrpcCheckSettings, type GrpcRequest } from "#contract/checks/grpc.ts";
import { createTrust } from "../../../../src/agent/net/tls.ts";
import type { Observation, RunContext } from "../../../../src/agent/runners/check-runner.ts";
import { createLazyGrpcRunner } from "../../../../src/agent/runners/grpc/lazy-grpc-runner.ts";
import { runContext } from "../../../support/run-context.ts";

type Input = z.input<typeof GrpcRequest>;
type Config = NonNullable<Input["grpcConfig"]>;

export interface GrpcInput extends Partial<Omit<Input, "grpcConfig" | "port">>, Config {
  readonly port: number | string;
}

/** Runs gRPC monitors in the clear, of 127.0.0.1 where nothing else is said; the result must fit the contract. */
export function grpcChecks(
  extraCas: readonly string[] = [],
): (input: GrpcInput, context?: Partial<RunContext>) => Promise<Observation<"GRPC">> {
  const trust = createTrust(extraCas);
  const runner = createLazyGrpcRunner(() => trust);
  return async ({ url = "127.0.0.1", port, ipFamily, skipSSL, timeout, assertions, ...config }, context = {}) => {
    const settings = GrpcCheckSettings.parse({
      request: { url, port, ipFamily, skipSSL, timeout, assertions, grpcConfig: { tls: false, ...config } },
      degradedResponseTime: null,
      maxResponseTime: null,
    });
    const seen = await runner.run(settings, runContext(context));
    GrpcCheckResult.parse(seen.result);
    return seen;
  };
}
