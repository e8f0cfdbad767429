/**
 * Every error that another module may need to tell apart.
 *
 * `code` decides behaviour; `message` is for people and may change;
 * `attributes` go onto the wire, so they hold no secrets.
 */
export type ErrorCode =
  | "deadline_exceeded" // our own timer fired
  | "cancelled" // a caller no longer wants the answer
  | "unreachable" // the peer did not answer or refused
  | "lease_lost" // another agent owns the job now
  | "invalid_input"
  | "unauthorized" // no key, or one nobody issued
  | "forbidden" // a known key that may not do this
  | "not_found"
  | "wrong_method" // the address is there, but not for this method
  | "conflict"
  | "too_large"
  | "unsupported" // a body in a form that this address does not read
  | "rate_limited"
  | "try_again" // a long poll ran out
  | "upgrade_required" // the peer speaks a protocol that we do not
  | "unavailable"; // the store cannot answer now

export type ErrorAttributes = Readonly<Record<string, unknown>>;

export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  readonly attributes: ErrorAttributes;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; attributes?: ErrorAttributes } = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.attributes = options.attributes ?? {};
  }
}

export function hasCode(error: unknown, code: ErrorCode): error is AppError {
  return error instanceof AppError && error.code === code;
}
