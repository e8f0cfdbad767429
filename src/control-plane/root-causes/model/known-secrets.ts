import type { CheckGroupSettings } from "#contract/check-groups.ts";
import type { AccountMaterial } from "../../jobs/account-material.ts";
import { type KeptVariable, keptVariables } from "../../jobs/kept-variables.ts";
import type { Sealing } from "../../keys/sealing.ts";
import { openedDefinition, openedSettings } from "../../secrets/definition-secrets.ts";
import type { CheckGroupStore, CheckStore } from "../../storage/storage.ts";

export interface KnownSecretDeps {
  readonly material: Pick<AccountMaterial, "variables">;
  readonly checks: Pick<CheckStore, "byUuid">;
  readonly checkGroups: Pick<CheckGroupStore, "byId">;
  readonly sealing: Pick<Sealing, "unseal">;
}

/** Every secret that a run of this check may have used: of the account's variables, of the check and of its group, opened. */
export async function knownSecrets(deps: KnownSecretDeps, accountId: number, checkUuid: string): Promise<readonly string[]> {
  const { material, checks, checkGroups, sealing } = deps;
  const [variables, check] = await Promise.all([material.variables(accountId), checks.byUuid(accountId, checkUuid)]);
  const found = [...secretsOf(variables, sealing)];
  if (check !== undefined) {
    const owner = { kind: "check", accountId, row: check.uuid };
    found.push(...openedIn(check.definition, openedDefinition(check.definition, sealing, owner, lost)));
    found.push(...secretsOf(keptVariables(variablesOf(check.definition), owner), sealing));
    const group = check.groupId === null ? undefined : await checkGroups.byId(accountId, check.groupId);
    if (group !== undefined) {
      const ofGroup = { kind: "check-group", accountId, row: group.uuid };
      found.push(...openedIn(group.settings, openedSettings(group.settings, sealing, ofGroup, lost)));
      found.push(...secretsOf(keptVariables(group.settings.environmentVariables, ofGroup), sealing));
    }
  }
  return [...new Set(found.flatMap(partsOf))].filter((text) => text.length >= 4);
}

/** What cannot be opened nobody used. */
const lost = (): void => undefined;

function secretsOf(variables: readonly KeptVariable[], { unseal }: Pick<Sealing, "unseal">): readonly string[] {
  return variables
    .filter(({ isSecret }) => isSecret)
    .flatMap(({ value, sealed, place }) => (sealed === undefined ? (value ?? []) : (unseal(sealed, place) ?? [])));
}

/** Texts that are another one once opened. */
function openedIn(stored: unknown, opened: unknown): readonly string[] {
  if (typeof stored === "string") return typeof opened === "string" && opened !== stored ? [opened] : [];
  if (typeof stored !== "object" || stored === null || typeof opened !== "object" || opened === null) return [];
  return Object.entries(stored).flatMap(([name, value]) => openedIn(value, (opened as Readonly<Record<string, unknown>>)[name]));
}

/** `Bearer abc` is a secret for its second word, a URL for its password. */
function partsOf(secret: string): readonly string[] {
  const [, token] = /^[A-Za-z][\w-]* +(\S.*)$/.exec(secret) ?? [];
  const url = URL.parse(secret);
  const password = url === null || url.password === "" ? [] : [url.password, decoded(url.password)];
  return [secret, ...(token === undefined ? [] : [token]), ...password];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** They were parsed with the schema of the check's type. */
function variablesOf(definition: object): CheckGroupSettings["environmentVariables"] {
  const { environmentVariables } = definition as { readonly environmentVariables?: CheckGroupSettings["environmentVariables"] };
  return environmentVariables ?? null;
}
