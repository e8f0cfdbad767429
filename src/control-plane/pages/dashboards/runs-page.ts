import type { PageAnswer } from "../../http/page-routes.ts";
import type { DashboardDefinition } from "../../resources/dashboards.ts";
import type { IndexedCheck, ResultRow } from "../../storage/storage.ts";
import { type Html, html } from "../html.ts";
import { publicPage } from "../public/public-page.ts";
import { stateLabel, type Tone } from "../public/state-label.ts";
import { durationText, timeElement } from "../public/units.ts";
import { frameOf } from "./dashboard-view.ts";
import { texts } from "./texts.ts";

/** The latest runs of a check: when, where and how, and nothing of what was sent or answered. */
export function runsPage(
  settings: DashboardDefinition["settings"],
  check: IndexedCheck,
  results: readonly ResultRow[],
  { page, base }: { readonly page: string; readonly base: string },
): PageAnswer {
  return publicPage({
    ...frameOf(settings, base),
    title: texts.latestRunsOf(check.name),
    maxAgeSeconds: settings.isPrivate ? null : 10,
    body: html`<main class="w${settings.width} bare"><section class="card runs"><p><a href="${page}">${texts.back}</a></p>
<h1>${texts.latestRunsOf(check.name)}</h1>
${results.length === 0 ? html`<p class="soft">${texts.noRuns}</p>` : table(results)}</section></main>`,
  });
}

function table(results: readonly ResultRow[]): Html {
  return html`<div class="wide" tabindex="0" role="region" aria-label="${texts.latestRuns}"><table><thead><tr><th scope="col">${texts.time}</th><th scope="col">${texts.location}</th><th scope="col">${texts.outcome}</th><th scope="col" class="number">${texts.responseTime}</th></tr></thead>
<tbody>${results.map(row)}</tbody></table></div>`;
}

function row(result: ResultRow): Html {
  const [tone, outcome] = outcomeOf(result);
  const time = result.responseTimeMs > 0 ? durationText(result.responseTimeMs) : texts.unmeasured;
  return html`<tr><td>${timeElement(result.startedAtMs)}</td><td>${result.locationCode}</td><td>${stateLabel(tone, outcome)}</td><td class="number">${time}</td></tr>`;
}

function outcomeOf({ missedReason, isCancelled, hasFailures, hasErrors, isDegraded }: ResultRow): readonly [Tone, string] {
  if (missedReason !== null) return ["none", texts.outcomes.missed];
  if (isCancelled) return ["none", texts.outcomes.cancelled];
  if (hasFailures || hasErrors) return ["bad", texts.outcomes.failed];
  return isDegraded ? ["warn", texts.outcomes.degraded] : ["ok", texts.outcomes.passed];
}
