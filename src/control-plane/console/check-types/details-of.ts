import type { CheckResult } from "#contract/check-results.ts";
import { type CheckType, checkTypes, type ResultOf } from "#contract/checks/index.ts";
import { html } from "../../view/html.ts";
import type { Details, RunDetails } from "./check-type.ts";
import { checkTypesInConsole } from "./index.ts";

/** What the page of a run tells of an attempt; nothing of one that saw nothing. */
export function detailsOf(result: CheckResult): RunDetails {
  const responseTimeMs = result.responseTime === 0 ? null : result.responseTime;
  const [type, seen] = filledBy(result) ?? [];
  if (type === undefined) return { shown: () => html``, tookMs: responseTimeMs, phases: {}, facts: () => ({}), scripts: null };
  const tell = checkTypesInConsole[type].details as Details<typeof seen>; // of the type whose member this is
  return tell(seen, responseTimeMs);
}

/** What an attempt sent and saw, and how its assertions went; undefined where it came to nothing. */
export function seenBy(result: CheckResult): ResultOf<CheckType> | undefined {
  return filledBy(result)?.[1];
}

/** The member of a result that is filled, and a type that fills it: API and URL have one together, and tell it alike. */
function filledBy(result: CheckResult): readonly [CheckType, ResultOf<CheckType>] | undefined {
  for (const type of Object.keys(checkTypes) as CheckType[]) {
    const seen = result[checkTypes[type].resultMember];
    if (seen) return [type, seen];
  }
  return undefined;
}
