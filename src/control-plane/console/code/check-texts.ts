import type { Client } from "#contract/client.ts";

/**
 * A check as a file of `outpost apply` and as the body of the operation that makes it, without secrets. It comes from outside: the control plane
 * knows nothing of configuration as code.
 */
export type CheckTexts = (client: Client, id: string) => Promise<{ readonly yaml: string; readonly json: string }>;
