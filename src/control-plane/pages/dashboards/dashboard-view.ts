import { type CheckState, checkStates } from "#domain/check-state.ts";
import type { PageAnswer } from "../../http/page-routes.ts";
import type { DashboardSettings } from "../../kinds/dashboard.ts";
import { dashboardTexts as texts } from "../../texts/dashboards.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel, type Tone } from "../../view/state-label.ts";
import { clockElement, countText } from "../../view/units.ts";
import { fingerprint, httpsOnly, publicPage, webLink } from "../public/public-page.ts";
import { checkCard } from "./check-card.ts";
import { dashboardStyle } from "./dashboard-style.ts";
import { incidentCard, type ShownIncident } from "./incident-list.ts";
import { nextPlace, type Place, queryOf } from "./paging.ts";
import type { ShownCheck } from "./shown-checks.ts";

export interface ShownDashboard {
  readonly settings: DashboardSettings;
  /** Those of this page. */
  readonly checks: readonly ShownCheck[];
  /** Of all pages. */
  readonly counts: Readonly<Record<CheckState, number>>;
  readonly incidents: readonly ShownIncident[];
  readonly pageCount: number;
  readonly nowMs: number;
}

export interface DashboardAddress {
  /** The page itself. */
  readonly page: string;
  /** What its other addresses begin with. */
  readonly base: string;
}

export function dashboardPage(shown: ShownDashboard, place: Place, { page, base }: DashboardAddress): PageAnswer {
  const { settings, pageCount } = shown;
  const next = nextPlace(place, pageCount, settings);
  return publicPage({
    ...frameOf(settings, base),
    title: settings.header || texts.untitled,
    maxAgeSeconds: settings.isPrivate ? null : 10,
    // Not as an element: whoever reads with a screen reader is told of those as of something to be avoided.
    headers: { refresh: `${next.seconds}; url=${page}${queryOf(next.place)}` },
    body: html`<div class="w${settings.width}">
<a class="skip" href="#checks">${texts.skip}</a>
${header(settings)}
<main${!hasHeader(settings) && html` class="bare"`}>
${overall(shown, html` · <a href="${page}?view=wall">${texts.wall}</a>`)}
${incidents(shown, true)}
<h2 class="hidden" id="checks">${texts.checks}</h2>
${shown.checks.length === 0 ? noChecks() : html`<ul class="checks">${shown.checks.map((check) => checkCard(check, settings, base))}</ul>`}
${incidents(shown, false)}
</main>
${footer(shown, place, page)}
</div>`,
  });
}

/** What all pages of a dashboard have around them. */
export function frameOf({ logo, favicon, description, customCSS }: DashboardSettings, base: string) {
  const ownStyle = customCSS?.trim() ? `${base}/style.css?v=${fingerprint(customCSS)}` : null;
  return { style: dashboardStyle, stylesheet: ownStyle, favicon: favicon || null, images: [logo], description } as const;
}

function hasHeader({ showHeader, header: text, description, logo }: DashboardSettings): boolean {
  return httpsOnly(logo) !== null || (showHeader && Boolean(text || description));
}

function header(settings: DashboardSettings): Html {
  const { showHeader, header: text, description, logo } = settings;
  const title = text || texts.untitled;
  if (!hasHeader(settings)) return html`<h1 class="hidden">${title}</h1>`;
  const picture = httpsOnly(logo);
  const words = html`<div class="words"><h1>${title}</h1>${description && html`<p>${description}</p>`}</div>`;
  return html`<header class="top">
${picture && logoOf(picture, webLink(settings.link), title)}
${showHeader ? words : html`<h1 class="hidden">${title}</h1>`}
</header>`;
}

function logoOf(picture: string, link: string | null, title: string): Html {
  if (link === null) return html`<span class="logo"><img src="${picture}" alt=""></span>`;
  return html`<a class="logo" href="${link}" rel="noopener noreferrer"><img src="${picture}" alt="${title}"></a>`;
}

export function overall({ counts, nowMs }: ShownDashboard, more: Html = html``): Html {
  const told = checkStates.filter((state) => counts[state] > 0);
  const [tone, text] = verdict(counts);
  const rest = told.length > 1 ? told.map((state) => `${counts[state].toLocaleString("en-US")} ${texts.counts[state]}`).join(" · ") : "";
  return html`<section class="card overall ${tone}"><p>${stateLabel(tone, text)}</p>
<p class="soft">${rest}${rest && " · "}${texts.updated(clockElement(nowMs))}${more}</p></section>`;
}

function verdict(counts: ShownDashboard["counts"]): readonly [Tone, string] {
  const total = checkStates.reduce((sum, state) => sum + counts[state], 0);
  const count = countText(total, "check");
  if (counts.failing > 0) return ["bad", texts.someFail(counts.failing, count)];
  if (counts.degraded > 0) return ["warn", texts.someDegraded(counts.degraded, count)];
  return counts.passing === 0 ? ["none", texts.noneRan] : ["ok", texts.allPass(countText(counts.passing, "check"))];
}

function incidents({ incidents: all }: ShownDashboard, open: boolean): Html | false {
  const some = all.filter(({ stoppedMs }) => (stoppedMs === null) === open);
  if (some.length === 0) return false;
  return html`<section${!open && html` class="past"`}><h2>${open ? texts.incidents : texts.pastIncidents}</h2>${some.map(incidentCard)}</section>`;
}

function noChecks(): Html {
  return html`<div class="card empty"><p><strong>${texts.noChecks}</strong></p><p class="soft">${texts.noChecksExplanation}</p></div>`;
}

function footer({ settings, pageCount }: ShownDashboard, place: Place, path: string): Html | false {
  if (pageCount < 2) return false;
  const { page, holds } = place;
  const to = (number: number, isHeld: boolean): string =>
    `${path}${queryOf({ page: number, shownSeconds: 0, holds: isHeld, isWall: false })}` || path;
  return html`<footer class="foot"><nav aria-label="${texts.pages}">
${page > 1 && html`<a rel="prev" href="${to(page - 1, holds)}">${texts.previous}</a>`}
<span>${texts.pageOf(page, pageCount)}</span>
${page < pageCount && html`<a rel="next" href="${to(page + 1, holds)}">${texts.next}</a>`}
</nav>
${settings.paginate && html`<a href="${to(page, !holds)}">${holds ? texts.goOn : texts.stay}</a>`}
</footer>`;
}
