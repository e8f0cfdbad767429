import type { Cause } from "../cause.ts";
import { type CauseFacts, ofRun } from "../cause-facts.ts";

const unsent: ReadonlySet<string | null> = new Set(["ESCRIPT", "ETEMPLATE", "ESUITE", "EBADURL"]);

/** The run ended before it sent anything: what other checks saw says nothing about it. */
export function isUnsent({ seen }: CauseFacts["failure"]): boolean {
  return unsent.has(seen.code);
}

/** A script of the check failed: by a request that failed, or by itself. */
export function script({ failure }: CauseFacts): readonly Cause[] {
  const { script: seen, code } = failure.seen;
  if (isUnsent(failure))
    return [
      {
        kind: "setup",
        text: "The check itself could not be prepared, and nothing was sent: its script, a template or the address is wrong. Look at its variables and scripts.",
        confidence: "high",
        evidence: [{ says: failure.error ?? code ?? "", of: ofRun(failure) }],
      },
    ];
  if (seen === null) return [];
  if (seen.request !== null)
    return [
      {
        kind: "server-error",
        text: `A request of the script failed: ${seen.request}. Look at that service first.`,
        confidence: "medium",
        evidence: [{ says: seen.request, of: ofRun(failure) }],
      },
    ];
  return [
    {
      kind: "script",
      text: `The script ended with: ${seen.error}. No request failed, so the page may have changed, or the script waits for the wrong thing.`,
      confidence: "medium",
      evidence: [{ says: seen.error, of: ofRun(failure) }],
    },
  ];
}
