import { refusalOf } from "#domain/scrub/secret-refusal.ts";
import { secretPrefix } from "./agent-secrets.ts";
import type { RunIdentity, Variables } from "./run-variables.ts";

/**
 * The secrets of a run whose values are not masked, by name and with the reason, for their owner. Of the agent's own only those that the
 * run names. An empty value has nothing to hide.
 *
 * @param settings with all else where templates may stand
 * @param variables as setup scripts left them
 */
export function unmaskedSecrets({ material }: Pick<RunIdentity, "material">, settings: unknown, variables: Variables): readonly string[] {
  const ofRun = new Set((material?.variables ?? []).filter(({ isSecret }) => isSecret).map(({ key }) => key));
  const isNamed = (name: string): boolean =>
    JSON.stringify([settings, material?.setup, material?.teardown, material?.snippets]).includes(name);
  return Object.entries(variables).flatMap(([name, value]) => {
    const isSecret = ofRun.has(name) || name.startsWith(secretPrefix);
    const reason = isSecret && value !== "" ? refusalOf(value) : null;
    return reason !== null && (ofRun.has(name) || isNamed(name)) ? [`${name} (${reason})`] : [];
  });
}
