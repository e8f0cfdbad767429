import { isPinged } from "#contract/checks/traits.ts";
import type { CauseGroup } from "#domain/alerting/episode-causes.ts";
import { quietNow } from "#domain/alerting/episode-handling.ts";
import { roleAllows } from "#domain/key.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { resultUuidOf } from "../../kinds/ids.ts";
import type { CheckTrouble, EpisodeDetail, EpisodeRow } from "../../storage/storage.ts";
import { actionTexts } from "../../texts/actions.ts";
import { alertTexts } from "../../texts/alerts.ts";
import { checkTypeTexts } from "../../texts/check-fields.ts";
import { episodeTexts as texts } from "../../texts/episodes.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel } from "../../view/state-label.ts";
import { lengthText, timeElement } from "../../view/units.ts";
import type { CheckRead } from "../check-types/check-type.ts";
import { hidden, postForm } from "../form-view.ts";
import { addressWith, pageLinks } from "../page-links.ts";
import { consolePage } from "../shell.ts";
import { tellStyle } from "../tell-style.ts";
import type { Visit } from "../visit.ts";
import { alertTabs } from "./alerts-page.ts";
import { episodeStyle } from "./episode-style.ts";
import { arrivalList, badRuns, endedDegraded, episodePath, episodeState, handlingLines, placesText } from "./episode-words.ts";

export type EpisodeFilter = keyof typeof texts.states;
/** As they stand beside each other. */
export const episodeFilters = ["", "open", "acknowledged", "snoozed", "closed"] as const satisfies readonly EpisodeFilter[];

export interface ShownPage {
  readonly total: number;
  readonly page: number;
  readonly pageSize: number;
}

export interface EpisodesView {
  readonly filter: EpisodeFilter;
  /** Whose episodes alone are shown. */
  readonly check: CheckRead | null;
  /** Only what failed on it, such as 2026-09-15; empty: whenever it was. */
  readonly day: string;
  /** In which days begin. */
  readonly zone: string;
  readonly counts: Readonly<Record<Exclude<EpisodeFilter, "" | "closed">, number>>;
  /** Null: these are not shown. `size` of a group: with those of other pages. */
  readonly open: (ShownPage & { readonly groups: readonly (CauseGroup<EpisodeRow> & { readonly size: number })[] }) | null;
  readonly closed: (ShownPage & { readonly episodes: readonly EpisodeRow[] }) | null;
  readonly details: ReadonlyMap<number, EpisodeDetail>;
  /** By inside id of the check. */
  readonly troubles: ReadonlyMap<number, CheckTrouble>;
  /** Of channels, by id. */
  readonly names: ReadonlyMap<number, string>;
  readonly nowMs: number;
}

/** What fails and what failed, with who was told and who looks after it. */
export function episodesPage(visit: Visit, view: EpisodesView): FormAnswer {
  const { check, filter } = view;
  const all = addressWith("/alerts", { state: filter, day: view.day });
  const body = html`<h1>${alertTexts.alerts}</h1>
${alertTabs("/alerts")}
${filterLinks(view)}
${dayForm(view)}
${check !== null && html`<p class="chosen">${alertTexts.ofCheck(html`<a href="/checks/${check.id}">${check.name}</a>`, html`<a href="${all}">${alertTexts.allChecks}</a>`)}</p>`}
${openSection(visit, view)}
${closedSection(visit, view)}`;
  return consolePage(visit, { title: alertTexts.alerts, style: tellStyle + episodeStyle, isPacked: true, body });
}

function filterLinks({ filter, counts, check, day }: EpisodesView): Html {
  const link = (value: EpisodeFilter): Html => {
    const name = texts.states[value];
    const label = value === "" || value === "closed" ? name : texts.stateCount(name, counts[value]);
    return html`<li><a href="${addressWith("/alerts", { state: value, check: check?.id ?? "", day })}"${value === filter && html` aria-current="true"`}>${label}</a></li>`;
  };
  return html`<nav aria-label="${texts.statesLabel}"><ul class="kinds">${episodeFilters.map(link)}</ul></nav>`;
}

/** Whoever asks whether something was down knows the day. */
function dayForm({ filter, check, day, zone }: EpisodesView): Html {
  const content = [
    filter !== "" && hidden("state", filter),
    check !== null && hidden("check", check.id),
    html`<div class="field"><label for="day">${texts.onDay(zone)}</label><input id="day" name="day" type="date" value="${day}" autocomplete="off"></div>`,
  ];
  const every = addressWith("/alerts", { state: filter, check: check?.id ?? "" });
  return html`<form class="filter day" method="get" action="/alerts" aria-label="${texts.onDay(zone)}">${content}<button class="quiet">${actionTexts.filter}</button>${day !== "" && html`<a class="button" href="${every}">${texts.anyDay}</a>`}</form>`;
}

function openSection(visit: Visit, view: EpisodesView): Html | false {
  const { open, filter } = view;
  if (open === null) return false;
  const query = queryOf(view);
  const shown = open.groups.reduce((sum, { episodes }) => sum + episodes.length, 0);
  const links =
    filter === "" && shown < open.total
      ? html`<p class="pages"><a href="${addressWith("/alerts", { ...query, state: "open" })}">${texts.allOpen(open.total)}</a></p>`
      : pageLinks({ ...open, path: "/alerts", query, counted: texts.countedOpen });
  return html`<section aria-labelledby="open"><h2 id="open">${filter === "" ? texts.openHeading : texts.states[filter]}</h2>
${open.groups.length === 0 && html`<p class="box">${noneOf(view)}</p>`}
${groupsOf(open.groups).map(({ title, error, episodes }) => html`${title !== null && html`<div class="cause"><h3>${title}</h3>${error !== null && html`<p class="error">${error}</p>`}</div>`}<ul class="events">${episodes.map((one) => row(visit, one, view))}</ul>`)}
${filter !== "" || shown < open.total ? links : false}</section>`;
}

/** What the address says, but for the page. */
function queryOf({ filter, check, day }: EpisodesView) {
  return { state: filter, check: check?.id ?? "", day };
}

function noneOf({ filter, day }: EpisodesView): string {
  return day === "" && (filter === "" || filter === "open") ? texts.noneOpen : texts.noneSuch;
}

interface ShownGroup {
  readonly title: string | null;
  readonly error: string | null;
  readonly episodes: readonly EpisodeRow[];
}

/** Episodes alone stand in one list where they follow each other. */
function groupsOf(groups: NonNullable<EpisodesView["open"]>["groups"]): readonly ShownGroup[] {
  const shown: ShownGroup[] = [];
  const isGrouped = groups.some(({ cause }) => cause !== null);
  for (const { cause, episodes, size } of groups) {
    const last = shown.at(-1);
    const title =
      cause === null ? (isGrouped ? texts.alone : null) : cause.kind === "error" ? texts.sameError(size) : texts.sameHost(size, cause.text);
    if (cause === null && last !== undefined && last.title === title)
      shown[shown.length - 1] = { ...last, episodes: [...last.episodes, ...episodes] };
    else shown.push({ title, error: cause?.kind === "error" ? (episodes[0]?.error ?? null) : null, episodes });
  }
  return shown;
}

function closedSection(visit: Visit, view: EpisodesView): Html | false {
  const { closed, day } = view;
  if (closed === null) return false;
  const query = queryOf(view);
  return html`<section aria-labelledby="closed"><h2 id="closed">${texts.closedHeading}</h2>
${closed.episodes.length === 0 ? html`<p class="box">${closed.total > 0 ? alertTexts.emptyPage : day === "" ? texts.noneClosed : texts.noneSuch}</p>` : html`<ul class="events">${closed.episodes.map((one) => row(visit, one, view))}</ul>`}
${pageLinks({ ...closed, path: "/alerts", query, counted: texts.countedClosed })}</section>`;
}

function spanOf(isOpen: boolean, sinceMs: number, length: string): Html {
  const at = timeElement(sinceMs);
  return isOpen
    ? html`<p>${texts.since(at)}</p><p>${texts.goesOn(length)}</p>`
    : html`<p>${texts.began(at)}</p><p>${texts.lasted(length)}</p>`;
}

function row(visit: Visit, episode: EpisodeRow, view: EpisodesView): Html {
  const { details, troubles, names, nowMs } = view;
  const { tone, text } = episodeState(episode);
  const { check, closedAtMs, sinceMs } = episode;
  const isOpen = closedAtMs === null;
  const detail = details.get(episode.id);
  const trouble = isOpen ? troubles.get(check.id) : undefined;
  const length = lengthText((closedAtMs ?? nowMs) - sinceMs);
  const error = trouble?.places[0]?.error ?? episode.error;
  return html`<li class="${isOpen ? tone : "over"}"><div class="what">${stateLabel(tone, text)}${spanOf(isOpen, sinceMs, length)}</div>
<div class="which"><a class="name" href="/checks/${check.uuid}">${check.name}</a>
${error !== null && html`<p class="error one-line">${error}</p>`}
<p class="about"><span>${checkTypeTexts[check.type].name}</span>${about(episode, detail, trouble)}${handlingLines(episode, nowMs)}</p>
${links(episode, trouble, view.check === null)}</div>
<div class="sent">${arrivalList(detail?.arrivals ?? [], names, detail?.isOnItsWay === true)}${acknowledgeButton(visit, episode, nowMs)}</div></li>`;
}

/** Where it fails and how often: of an open one also what no alert has told yet. */
function about(episode: EpisodeRow, detail: EpisodeDetail | undefined, trouble: CheckTrouble | undefined): Html {
  const { reminders } = episode;
  const places = placesText(detail, trouble);
  return html`${places !== null && html`<span>${places}</span>`}${endedDegraded(episode, detail)}<span>${texts.failedRuns(badRuns(episode, trouble), isPinged(episode.check.type))}</span>${reminders > 0 && html`<span>${texts.reminders(reminders)}</span>`}`;
}

function links(episode: EpisodeRow, trouble: CheckTrouble | undefined, isOfMany: boolean): Html {
  const { uuid, name } = episode.check;
  const result = trouble?.places[0]?.result ?? null;
  const link = (address: string, text: string): Html => html`<a href="${address}">${text}<span class="hidden"> ${name}</span></a>`;
  return html`<p class="about">${result !== null && link(`/checks/${uuid}/results/${resultUuidOf(result)}`, texts.run)}${link(episodePath(episode), texts.view)}${isOfMany && link(`/alerts?check=${uuid}`, texts.onlyCheck)}</p>`;
}

/** Where it would change something, and for whoever may. */
function acknowledgeButton(visit: Visit, episode: EpisodeRow, nowMs: number): Html | false {
  if (episode.closedAtMs !== null || !roleAllows(visit.role, "run") || quietNow(episode.handling, nowMs)?.kind === "acknowledged")
    return false;
  const button = html`<button class="quiet">${texts.acknowledge}<span class="hidden">${texts.acknowledgeOf(episode.check.name)}</span></button>`;
  return postForm(`${episodePath(episode)}/acknowledge`, visit.csrf, button);
}
