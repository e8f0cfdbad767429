import type { PageAnswer } from "../../http/page-routes.ts";
import { dashboardTexts as texts } from "../../texts/dashboards.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel } from "../../view/state-label.ts";
import { durationText, percentText, timeElement } from "../../view/units.ts";
import { publicPage } from "../public/public-page.ts";
import { stateTones } from "./check-card.ts";
import { type DashboardAddress, frameOf, overall, type ShownDashboard } from "./dashboard-view.ts";
import { nextPlace, type Place, queryOf } from "./paging.ts";
import type { ShownCheck } from "./shown-checks.ts";
import { wallStyle } from "./wall-style.ts";

/** Tiles on one screen; the others come with the next page, by itself. */
export const wallTiles = 60;

/** A dashboard for a screen on the wall: all tiles fit on it, and what fails can be read from across the room. */
export function wallPage(shown: ShownDashboard, place: Place, { page, base }: DashboardAddress): PageAnswer {
  const { settings, checks, pageCount, incidents } = shown;
  const next = nextPlace(place, pageCount, { ...settings, paginate: true });
  const open = incidents.filter(({ stoppedMs }) => stoppedMs === null);
  const frame = frameOf(settings, base);
  return publicPage({
    ...frame,
    style: frame.style + wallStyle(checks.length),
    title: settings.header || texts.untitled,
    maxAgeSeconds: settings.isPrivate ? null : 10,
    headers: { refresh: `${next.seconds}; url=${page}${queryOf(next.place)}` },
    body: html`<main class="wall"><h1 class="hidden">${settings.header || texts.untitled}</h1>
<div class="head">${overall(shown)}${open.map(({ name }) => html`<p class="card bad-ink open">${texts.openIncident(name)}</p>`)}<a class="out" href="${page}">${
      pageCount > 1 ? texts.wallPageOf(place.page, pageCount) : texts.leaveWall
    }</a></div>
<ul class="tiles">${checks.map(tile)}</ul></main>`,
  });
}

function tile(check: ShownCheck): Html {
  const { name, state } = check;
  return html`<li class="tile ${stateTones[state]}"><h2>${name}</h2><p>${stateLabel(stateTones[state], texts.states[state])} ${about(check)}</p></li>`;
}

/** Since when it fails; how well it does. */
function about({ state, trouble, availability, p95 }: ShownCheck): Html {
  const since = (trouble?.places ?? []).filter(({ standing }) => standing === state).map(({ sinceMs }) => sinceMs);
  if (since.length > 0) return html`<span class="small">${texts.since(timeElement(Math.min(...since)))}</span>`;
  const figures = [availability !== null && percentText(availability), p95 !== null && durationText(p95)].filter((text) => text !== false);
  return html`<span class="small">${figures.join(" · ")}</span>`;
}
