import { type CheckEnvironmentVariable } from "#contract/checks/scripted.ts";
import { secretMask } from "#contract/variables.ts";
import type { Sealing } from "../keys/sealing.ts";
import type { CheckRow } from "../storage/storage.ts";
import { variableField } from "./definition-secrets.ts";
import { filledRequest, type SecretRequest } from "./request-secrets.ts";

type Body = Readonly<Record<string, unknown>>;

/**
 * The body of a new check that is a copy of a stored one: with the secrets of that in the place of the asterisks that stand for them, which
 * are sealed anew for the copy. Asterisks that stand for nothing stay, and whoever takes the body refuses them. Nobody sees it.
 */
export function withSecretsOf(body: Body, source: CheckRow, sealing: Pick<Sealing, "unseal">): Body {
  const { accountId, uuid, definition } = source;
  const owner = { kind: "check", accountId, row: uuid };
  const [request, stored] = [body["request"], definition["request"]];
  const variables = body["environmentVariables"];
  return {
    ...body,
    ...(isObject(request) &&
      isObject(stored) && {
        request: filledRequest(request as SecretRequest, stored as SecretRequest, sealing, { ...owner, field: "request" }),
      }),
    ...(Array.isArray(variables) && {
      environmentVariables: (variables as readonly CheckEnvironmentVariable[]).map((one) => {
        const known = variablesOf(definition).find(({ key }) => key === one.key);
        const standsForKept = (one.secret || one.locked) && (one.value === null || one.value === secretMask);
        // What may be read by some must not become what is read by nobody's leave.
        if (!standsForKept || known === undefined || (known.secret && !one.secret)) return one;
        const { sealed, value } = known;
        const opened = sealed === undefined ? value : sealing.unseal(sealed, { ...owner, field: variableField(one.key) });
        return { ...one, value: opened ?? secretMask };
      }),
    }),
  };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** As `withSealedSecrets` stored them. */
function variablesOf(definition: Body): readonly (CheckEnvironmentVariable & { readonly sealed?: string })[] {
  return (definition["environmentVariables"] ?? []) as readonly (CheckEnvironmentVariable & { readonly sealed?: string })[];
}
