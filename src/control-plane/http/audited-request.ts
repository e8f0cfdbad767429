/** What the audit log keeps of a request comes from these. */
export interface AuditedRequest {
  readonly url: string;
  readonly id: string;
  /** Who connected. */
  readonly ip: string;
}

/** A request that was made with a key. */
export type KeyedRequest = AuditedRequest & { readonly method: string };
