import { grpcStatusNames, servingStatusNames } from "./grpc-names.ts";
import type { Finding } from "./verdict.ts";

/** What a gRPC call ended with. */
export interface SeenCall {
  readonly statusCode: number;
  readonly statusMessage: string;
  /** Null where the health was not asked for. */
  readonly healthStatus: number | null;
}

/**
 * What is held against a call that was answered: any status but OK, unless a GRPC_STATUS_CODE assertion judges it; and of the health
 * service any state but SERVING, unless a GRPC_HEALTHCHECK_STATUS assertion does.
 */
export function grpcFindings(assertions: readonly { readonly source: string }[], seen: SeenCall): Finding[] {
  const isJudged = (source: string): boolean => assertions.some((one) => one.source === source);
  const { statusCode, statusMessage, healthStatus } = seen;
  if (statusCode !== 0) {
    const words = statusMessage === "" ? "" : `: ${statusMessage}`;
    const message = `expected the gRPC status OK, got ${statusName(statusCode)} (${statusCode})${words}`;
    return isJudged("GRPC_STATUS_CODE") ? [] : [{ severity: "fail", message }];
  }
  if (healthStatus === null || healthStatus === 1 || isJudged("GRPC_HEALTHCHECK_STATUS")) return [];
  return [{ severity: "fail", message: `expected the health status SERVING, got ${servingName(healthStatus)} (${healthStatus})` }];
}

/** `UNAVAILABLE`; UNKNOWN for a number that gRPC does not know, as its clients have it. */
export function statusName(code: number): string {
  return grpcStatusNames[code] ?? "UNKNOWN";
}

/** `SERVING`; UNKNOWN for a number that the health service does not know. */
export function servingName(status: number): string {
  return servingStatusNames[status] ?? "UNKNOWN";
}
