import type { Secret } from "#daemon/secret.ts";

/** Where keys of the installation come from. */
export interface KeySettings {
  readonly dataDir: string;
  readonly databaseUrl: Secret | null;
  readonly keyPepper: Secret | null;
  /** See `encryptionKeyBytes`. */
  readonly encryptionKey: Secret | null;
  /** Those that were it before, the newest first. */
  readonly previousEncryptionKeys: readonly Secret[];
}
