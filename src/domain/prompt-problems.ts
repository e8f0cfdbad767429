import { mayBeAllowedHost } from "./agentic/allowed-hosts.ts";
import type { InputProblem } from "./invalid-input.ts";
import { variableProblems, type WrittenScript } from "./script-problems.ts";

/** What a check says of its prompt, as far as a schema cannot judge it. */
export interface WrittenPrompt extends Pick<WrittenScript, "environmentVariables"> {
  readonly prompt: string | null;
  readonly allowedHosts?: readonly string[] | null | undefined;
}

/** What is wrong with a check that is a prompt, each with its path; empty when nothing is. */
export function promptProblems({ prompt, allowedHosts, environmentVariables }: WrittenPrompt): readonly InputProblem[] {
  const hosts = (allowedHosts ?? []).flatMap((host, index): InputProblem[] => {
    const message = `must be a host, or *. and a domain, without a scheme and a port; received ${JSON.stringify(host.slice(0, 200))}`;
    return mayBeAllowedHost(host) ? [] : [{ path: `allowedHosts[${index}]`, message }];
  });
  return [
    ...(prompt?.trim() === "" ? [{ path: "prompt", message: "is empty: a check of this type is what its prompt asks for" }] : []),
    ...hosts,
    ...variableProblems(environmentVariables),
  ];
}
