import type { Migration } from "./migration.ts";

/**
 * From here on `heartbeats.token` has hashes, which the pepper is needed for: a start writes them, see `secrets/hash-ping-tokens.ts`. Nothing else
 * changes, but a control plane that would look for the tokens themselves no longer starts on this store.
 */
export const hashedPingTokens: Migration = { version: 50, statements: () => [] };
