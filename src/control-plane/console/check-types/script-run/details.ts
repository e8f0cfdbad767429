import type { z } from "zod";
import type { ResultOf, TestedType } from "#contract/checks/index.ts";
import type { PlaywrightLogLine } from "#contract/checks/playwright-run.ts";
import { scriptRunTexts as texts } from "../../../texts/script-run.ts";
import { type Html, html } from "../../../view/html.ts";
import { durationText } from "../../../view/units.ts";
import { factList, part } from "../../facts.ts";
import type { FileAddress, RunDetails } from "../check-type.ts";
import { comparisons } from "./comparisons.ts";
import { failure } from "./failure.ts";
import { evidenceFiles } from "./files.ts";
import { consoleTable, networkTable } from "./network.ts";
import { suggestions } from "./suggestions.ts";
import { tests } from "./tests.ts";
import { timeline } from "./timeline.ts";
import { vitals } from "./vitals.ts";
import { scrolled } from "./wide-table.ts";

type Seen = ResultOf<TestedType>;

/** What a script did, in the order in which people ask: what failed, when, what the pages said and sent, how fast they were. */
export function scriptDetails(seen: Seen, responseTimeMs: number | null, fileAt: FileAddress): RunDetails {
  return {
    shown: (update, beside, accept) => shown(seen, fileAt, { update, beside, accept }),
    tookMs: responseTimeMs,
    phases: {},
    facts: () => ({}),
    scripts: null,
    modules: ["waterfall"],
  };
}

interface Given {
  readonly update: Html | undefined;
  readonly beside: Html | undefined;
  readonly accept: ((number: number) => Html) | undefined;
}

function shown(seen: Seen, fileAt: FileAddress, { update, beside, accept }: Given): Html {
  const ofBrowser = hasPages(seen) ? seen : null;
  return html`${failure(seen, fileAt)}
${suggestions(seen, accept)}
${comparisons(seen, fileAt, update)}
${tests(seen)}
${beside}
${timeline(seen)}
${ofBrowser && consoleTable(ofBrowser)}
${networkTable(seen)}
${ofBrowser && vitals(ofBrowser)}
${evidenceFiles(seen, fileAt)}
${part(texts.log.title, log(seen))}
${part(texts.facts.title, facts(seen))}`;
}

function log({ jobLog, startTime }: Seen): Html {
  const row = ({ time, level, msg }: z.infer<typeof PlaywrightLogLine>): Html =>
    html`<tr><td class="time">${durationText(Math.max(0, time - startTime))}</td><td>${level}</td><td class="free">${msg}</td></tr>`;
  return scrolled(texts.log.label, texts.log.columns, jobLog.map(row));
}

function facts(seen: Seen): Html {
  const { runtimeVersion, playwrightVersion, sandboxLevel, scriptEgress } = seen;
  const ofBrowser = hasPages(seen) ? seen : null;
  return factList([
    [texts.facts.runtime, runtimeVersion],
    [texts.facts.playwright, playwrightVersion],
    [texts.facts.browser, ofBrowser?.browserVersion],
    ...suiteFacts(seen),
    [texts.facts.errors, ofBrowser && texts.facts.counted(ofBrowser.traceSummary)],
    [texts.facts.kept, texts.facts.level(sandboxLevel, scriptEgress)],
  ]);
}

/** Of a project: what was done before its tests. */
function suiteFacts(seen: Seen): readonly (readonly [string, string])[] {
  if (!("preparationMs" in seen)) return [];
  const { packageManager, cachedPackages, preparationMs } = seen;
  return [
    [texts.facts.packages, texts.facts.installed(packageManager, cachedPackages)],
    [texts.facts.prepared, texts.facts.spent(durationText(preparationMs.bundle), durationText(preparationMs.packages))],
  ];
}

function hasPages(seen: Seen): seen is ResultOf<"BROWSER"> | ResultOf<"PLAYWRIGHT"> {
  return "pages" in seen;
}
