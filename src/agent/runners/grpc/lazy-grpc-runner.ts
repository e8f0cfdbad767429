import type { Trust } from "../../net/tls.ts";
import type { CheckRunner } from "../check-runner.ts";

/**
 * The gRPC runner, loaded with its first run: protobuf takes 13 MB and 0.1 s, and most agents run no gRPC monitor. Loading is no part of
 * what a run measures.
 *
 * @param trust from `createTrust`, shared by all runs
 */
export function createLazyGrpcRunner(trust: Trust): CheckRunner<"GRPC"> {
  let runner: Promise<CheckRunner<"GRPC">> | undefined;
  return {
    async run(settings, context) {
      runner ??= import("./grpc-runner.ts").then(({ createGrpcRunner }) => createGrpcRunner(trust));
      return (await runner).run(settings, context);
    },
  };
}
