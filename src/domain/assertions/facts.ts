import type { AssertionSource } from "#contract/checks/assertion.ts";

/** What the assertions of one attempt may read. Getters are lazy: a source that no assertion names costs nothing. */
export interface AssertionFacts {
  readonly statusCode: number | null;
  readonly responseTimeMs: number;
  /** Lower-case name to value; several values of one header are joined with ", ". The metadata of a gRPC call. */
  readonly headers: Readonly<Record<string, string>>;
  /** The decoded body or data, or the answer as text; whole (up to the read cap). */
  readonly text: () => string;
  /** The answer as a JSON value, for the types that have one; without it the text is parsed. */
  readonly json?: () => unknown;
  /** `NOERROR`, `NXDOMAIN` … */
  readonly responseCode?: string | null;
  /** Hops to the target, and packets lost there in percent; null where it was not reached. */
  readonly hopCount?: number | null;
  readonly packetLoss?: number | null;
  /** Numbers of a gRPC call; null where none came. */
  readonly grpc?: { readonly statusCode: number | null; readonly healthStatus: number | null };
  /** Sources whose `property` names one of several values: LATENCY, CERTIFICATE, CONNECTION, and RESPONSE_TIME of a path. */
  readonly fields?: { readonly [Source in AssertionSource]?: Readonly<Record<string, unknown>> };
}
