/** The code of the system or of TLS; of several addresses that were tried that of the last one; empty where there is none. */
export function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors.at(-1));
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
