import { templateNames } from "#domain/templates/template-names.ts";
import { type AgentSecrets, secretPrefix } from "./agent-secrets.ts";
import type { RunIdentity, Variables } from "./run-variables.ts";

/** Which secrets of the agent one run gets. */
export interface GivenSecrets {
  /** In `process.env`: those that the text of a script or snippet names. */
  readonly toScripts: Variables;
  /** Those that a template names and no script. */
  readonly toTemplatesAlone: Variables;
  /** Names that the run gives, of secrets that are for other checks. */
  readonly denied: readonly string[];
}

const secretName = new RegExp(`${secretPrefix}\\w+`, "g");

/**
 * A run gets the secrets that are for it and that it names: a name that a script puts together is none, so that no loop over `process.env`
 * finds what nobody who read the check expects there.
 *
 * @param filled with all else where templates may stand
 */
export function givenSecrets(run: RunIdentity, secrets: AgentSecrets, filled: unknown): GivenSecrets {
  const { setup = [], teardown = [], snippets = {}, groupBaseUrl } = run.material ?? {};
  const codes = [...setup, ...teardown].map(({ code }) => code).concat(Object.values(snippets));
  const inScripts = new Set(codes.flatMap((code) => code.match(secretName) ?? []));
  const named = new Set([...inScripts, ...templateNames([filled, groupBaseUrl])]);
  const all = secrets.variables();
  const known = [...named].filter((name) => Object.hasOwn(all, name));
  const given = known.filter((name) => secrets.isFor(name, run));
  const pick = (names: readonly string[]): Variables => Object.fromEntries(names.map((name) => [name, all[name] as string]));
  return {
    toScripts: pick(given.filter((name) => inScripts.has(name))),
    toTemplatesAlone: pick(given.filter((name) => !inScripts.has(name))),
    denied: known.filter((name) => !given.includes(name)),
  };
}
