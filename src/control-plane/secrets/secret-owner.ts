import type { SecretPlace } from "../keys/sealing.ts";

/** What has the variables, as sealed values are bound to it. */
export type VariablesOwner = Omit<SecretPlace, "field">;
