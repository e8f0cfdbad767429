import type { SecretPlace } from "../keys/sealing.ts";
import { variableField } from "../secrets/definition-secrets.ts";
import { type VariablesOwner } from "../secrets/secret-owner.ts";

/** A variable as the store has it. */
export interface KeptVariable {
  readonly key: string;
  /** Null where it is sealed, or has none. */
  readonly value: string | null;
  readonly sealed: string | undefined;
  readonly isSecret: boolean;
  readonly place: SecretPlace;
}

/** What checks, groups and test sessions store of a variable. */
interface StoredVariable {
  readonly key: string;
  readonly value: string | null;
  readonly locked: boolean;
  readonly secret: boolean;
  readonly sealed?: string;
}

/** Variables of one definition, not opened yet. A variable that is no secret and has no value is as good as absent. */
export function keptVariables(stored: readonly StoredVariable[] | null | undefined, owner: VariablesOwner): KeptVariable[] {
  return (stored ?? []).flatMap(({ key, value, locked, secret, sealed }) =>
    value === null && !secret && sealed === undefined
      ? []
      : [{ key, value: secret ? null : value, sealed, isSecret: secret || locked, place: { ...owner, field: variableField(key) } }],
  );
}

/** Each key once, of the first level that has it. */
export function chosenVariables(levels: readonly (readonly KeptVariable[])[], isWanted: (key: string) => boolean): readonly KeptVariable[] {
  const chosen = new Map<string, KeptVariable>();
  for (const level of levels) {
    // Of two with one key in one definition the last one counts.
    const own = new Map(level.filter(({ key }) => isWanted(key)).map((variable) => [variable.key, variable]));
    for (const [key, variable] of own) if (!chosen.has(key)) chosen.set(key, variable);
  }
  return [...chosen.values()];
}
