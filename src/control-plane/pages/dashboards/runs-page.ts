import type { PageAnswer } from "../../http/page-routes.ts";
import type { DashboardDefinition } from "../../kinds/dashboard.ts";
import type { IndexedCheck } from "../../storage/storage.ts";
import { dashboardTexts as texts } from "../../texts/dashboards.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel } from "../../view/state-label.ts";
import { durationText, timeElement } from "../../view/units.ts";
import { publicPage } from "../public/public-page.ts";
import { frameOf } from "./dashboard-view.ts";
import type { ShownRun } from "./latest-runs.ts";

/** The latest runs of a check: when, where and how, and nothing of what was sent or answered. */
export function runsPage(
  settings: DashboardDefinition["settings"],
  check: IndexedCheck,
  runs: readonly ShownRun[],
  { page, base }: { readonly page: string; readonly base: string },
): PageAnswer {
  return publicPage({
    ...frameOf(settings, base),
    title: texts.latestRunsOf(check.name),
    maxAgeSeconds: settings.isPrivate ? null : 10,
    body: html`<main class="w${settings.width} bare"><section class="card runs"><p><a href="${page}">${texts.back}</a></p>
<h1>${texts.latestRunsOf(check.name)}</h1>
${runs.length === 0 ? html`<p class="soft">${texts.noRuns}</p>` : table(runs)}</section></main>`,
  });
}

function table(runs: readonly ShownRun[]): Html {
  return html`<div class="wide" tabindex="0" role="region" aria-label="${texts.latestRuns}"><table><thead><tr><th scope="col">${texts.time}</th><th scope="col">${texts.outcome}</th><th scope="col">${texts.location}</th><th scope="col" class="number">${texts.responseTime}</th></tr></thead>
<tbody>${runs.map(row)}</tbody></table></div>`;
}

function row({ atMs, location, tone, outcome, responseTimeMs }: ShownRun): Html {
  const time = responseTimeMs === null ? texts.unmeasured : durationText(responseTimeMs);
  return html`<tr><td>${timeElement(atMs)}</td><td>${stateLabel(tone, outcome)}</td><td>${location ?? texts.unmeasured}</td><td class="number">${time}</td></tr>`;
}
