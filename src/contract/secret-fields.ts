import { z } from "zod";

/** How a secret that users give is kept, and who reads it back; `docs/secrets.md` says it in a table. */
export type SecretKeeping =
  /** Sealed; read back by nobody. */
  | "sealed"
  /** Sealed; read back by those who may write, where SECRETS_READABLE says so. */
  | "sealed, readable by a setting"
  /** Sealed; read back by those who may write. */
  | "sealed, readable by writers"
  /** As it is; read back by those who may write. */
  | "readable by writers";

/** Every field of a request's body that can hold a secret. A test walks all bodies: one that looks like a secret and is not here is red. */
export const secretFields = z.registry<{ readonly keeping: SecretKeeping }>();

/** Marks a field as one that can hold a secret. */
export function secretField<Schema extends z.ZodType>(keeping: SecretKeeping, schema: Schema): Schema {
  secretFields.add(schema, { keeping });
  return schema;
}
