import type { CheckResult } from "#contract/check-results.ts";
import { type CheckType, checkTypes, type ResultOf } from "#contract/checks/index.ts";
import { html } from "../../view/html.ts";
import type { Details, RunDetails } from "./check-type.ts";
import { checkTypesInConsole } from "./index.ts";

interface FilesPlace {
  /** Path below which each has its own. */
  readonly folder: string;
  /** Traces have one more, which leads to the viewer. */
  readonly hasTraceViewer: boolean;
  /** Reports of suites can be opened there; true unless told. */
  readonly hasReports?: boolean;
}

/**
 * What the page of a run tells of an attempt; nothing of one that saw nothing.
 *
 * @param files where they can be had; none is shown where it is left out
 */
export function detailsOf(result: CheckResult, files?: FilesPlace): RunDetails {
  const responseTimeMs = result.responseTime === 0 ? null : result.responseTime;
  const [type, seen] = filledBy(result) ?? [];
  if (type === undefined) return { shown: () => html``, tookMs: responseTimeMs, phases: {}, facts: () => ({}), scripts: null };
  const tell = checkTypesInConsole[type].details as Details<typeof seen>; // of the type whose member this is
  return tell(seen, responseTimeMs, (name, how) => {
    const stored = result.assets.find((asset) => asset.name === name);
    if (files === undefined || stored === undefined || (how === "viewed" && !files.hasTraceViewer)) return null;
    if (how === "read" && files.hasReports === false) return null;
    if (how === "read" && stored.contentType !== "application/gzip") return null; // it was withheld, and is a text that says why
    return `${files.folder}/${encodeURIComponent(name)}${{ saved: "", viewed: "/viewer", read: "/report" }[how]}`;
  });
}

/** What an attempt sent and saw, and how its assertions went; undefined where it came to nothing. */
export function seenBy(result: CheckResult): ResultOf<CheckType> | undefined {
  return filledBy(result)?.[1];
}

/** Why no (whole) answer came, word for word; empty where it came, and of scripts. */
export function requestErrorOf(result: CheckResult): string {
  const seen = seenBy(result);
  return seen !== undefined && "requestError" in seen ? (seen.requestError ?? "") : "";
}

/** The member of a result that is filled, and a type that fills it: API and URL have one together, and tell it alike. */
function filledBy(result: CheckResult): readonly [CheckType, ResultOf<CheckType>] | undefined {
  for (const type of Object.keys(checkTypes) as CheckType[]) {
    const seen = result[checkTypes[type].resultMember];
    if (seen) return [type, seen];
  }
  return undefined;
}
