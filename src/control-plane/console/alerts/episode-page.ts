import { isPinged } from "#contract/checks/traits.ts";
import { acknowledgedForMs, quietNow } from "#domain/alerting/episode-handling.ts";
import { roleAllows } from "#domain/key.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { alertUuid, resultUuidOf } from "../../kinds/ids.ts";
import type { CheckAlertRow, EpisodeActRow, EpisodeRow, EpisodeTimeline } from "../../storage/storage.ts";
import { alertTexts } from "../../texts/alerts.ts";
import { episodeTexts as texts } from "../../texts/episodes.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel } from "../../view/state-label.ts";
import { lengthText, momentElement, timeElement } from "../../view/units.ts";
import { type CauseRead, causePart } from "../causes/cause-part.ts";
import { causeStyle } from "../causes/cause-style.ts";
import { doneBox } from "../done-box.ts";
import { textArea } from "../form-inputs.ts";
import { type FormProblems, field, hidden, postForm, select } from "../form-view.ts";
import { addressWith } from "../page-links.ts";
import { consolePage } from "../shell.ts";
import { tellStyle } from "../tell-style.ts";
import type { Visit } from "../visit.ts";
import { episodeStyle } from "./episode-style.ts";
import { arrivalList, badRuns, endedDegraded, episodePath, episodeState, handlingLines, placesText } from "./episode-words.ts";
import { saidBy } from "./said-by.ts";

export interface EpisodeView {
  readonly episode: EpisodeRow;
  readonly timeline: EpisodeTimeline;
  readonly places: Parameters<typeof placesText>;
  /** Of channels, by id. */
  readonly names: ReadonlyMap<number, string>;
  /** People that it may be assigned to. */
  readonly members: readonly { readonly uuid: string; readonly name: string }[];
  /** In which times are typed. */
  readonly zone: string;
  /** Why it fails; null: the error is not known. */
  readonly cause: CauseRead | null;
  readonly nowMs: number;
  readonly done: string | null;
  readonly problems?: FormProblems;
  /** What was typed. */
  readonly form?: URLSearchParams;
}

/** One episode: how it stands, what can be done, and everything that happened. */
export function episodePage(visit: Visit, view: EpisodeView): FormAnswer {
  const { episode, timeline, places, names, nowMs, done, problems = {} } = view;
  const { check, closedAtMs, sinceMs, error } = episode;
  const { tone, text } = episodeState(episode);
  const at = placesText(...places);
  const length = lengthText((closedAtMs ?? nowMs) - sinceMs);
  const isQuiet = closedAtMs === null && quietNow(episode.handling, nowMs) !== null;
  const body = html`<p class="crumbs"><a href="/alerts">${alertTexts.alerts}</a></p>
<div class="head"><h1><a class="name" href="/checks/${check.uuid}">${check.name}</a></h1>${stateLabel(tone, text)}</div>
<p class="about"><span>${(closedAtMs === null ? texts.since : texts.began)(timeElement(sinceMs))}</span><span>${closedAtMs === null ? texts.goesOn(length) : texts.lasted(length)}</span>${at !== null && html`<span>${at}</span>`}${endedDegraded(episode, places[0])}<span>${texts.failedRuns(badRuns(episode, places[1]), isPinged(check.type))}</span>${handlingLines(episode, nowMs)}</p>
${error !== null && html`<p class="error">${error}</p>`}
${isQuiet && html`<p class="soft">${texts.remindersPause}</p>`}
${doneBox(texts.done, done)}
${roleAllows(visit.role, "run") && acknowledging(visit, view)}
${causePart(visit, view.cause, episodePath(episode))}
${roleAllows(visit.role, "run") && actions(visit, view)}
<section><h2>${texts.timeline}</h2><ol class="updates">${entriesOf(visit, timeline, names).map(({ entry }) => entry)}</ol></section>`;
  const answer = consolePage(visit, { title: texts.titleOf(check.name, text), style: tellStyle + episodeStyle + causeStyle, body });
  return Object.values(problems).some((problem) => problem !== undefined) ? { ...answer, status: 400 } : answer;
}

function actions(visit: Visit, view: EpisodeView): Html {
  const { episode, members, problems = {}, form } = view;
  const path = episodePath(episode);
  const send = (act: string, content: Html, className = ""): Html => postForm(`${path}/${act}`, visit.csrf, content, className);
  const me = members.find(({ uuid }) => uuid === visit.user?.uuid);
  const { assignee } = episode.handling;
  const people = [["", texts.nobody], ...members.map(({ uuid, name }) => [uuid, name] as const)] as const;
  const comment = textArea({
    name: "comment",
    label: texts.comment,
    value: form?.get("comment") ?? "",
    rows: 2,
    maxLength: 4_000,
    isProse: true,
    problems,
  });
  return html`<section><h2>${texts.actions}</h2>
${episode.closedAtMs === null && snoozing(visit, view)}
${send("assign", html`${select({ name: "assignee", label: texts.assignee, value: assignee?.id ?? "", options: people })}<button class="quiet">${texts.assign}</button>${problems["assignee"] !== undefined && html`<p class="problem" role="alert">${problems["assignee"]}</p>`}`, "acts")}
<div class="acts">${me !== undefined && assignee?.id !== me.uuid && send("assign", html`${hidden("assignee", me.uuid)}<button class="quiet">${texts.assignToMe}</button>`)}
${roleAllows(visit.role, "write") && html`<a class="button" href="${incidentAddress(episode)}">${texts.createIncident}</a>`}</div>
${send("comment", html`${comment}<button class="quiet">${texts.addComment}</button>`, "form")}</section>`;
}

/** Whoever comes from a message does this first: it stands above what may be long. */
function acknowledging({ csrf }: Visit, { episode, nowMs }: EpisodeView): Html | false {
  if (episode.closedAtMs !== null) return false;
  const path = episodePath(episode);
  if (quietNow(episode.handling, nowMs)?.kind === "acknowledged")
    return html`<div class="acts">${postForm(`${path}/unacknowledge`, csrf, html`<button class="quiet">${texts.unacknowledge}</button>`)}</div>`;
  return html`<div class="acts">${postForm(`${path}/acknowledge`, csrf, html`<button>${texts.acknowledge}</button>`)}</div>
<p class="soft">${texts.aboutAcknowledging(acknowledgedForMs / 3_600_000)}</p>`;
}

function snoozing(visit: Visit, { episode, zone, nowMs, problems = {}, form }: EpisodeView): Html {
  const path = episodePath(episode);
  const isSnoozed = episode.handling.snoozed !== null && episode.handling.snoozed.untilMs > nowMs;
  const send = (act: string, content: Html): Html => postForm(`${path}/${act}`, visit.csrf, content);
  const until = field({
    name: "until",
    label: texts.snoozeUntil(zone),
    type: "datetime-local",
    value: form?.get("until") ?? "",
    autocomplete: "off",
    isOptional: true,
    problems,
  });
  const choice = (value: string, label: string): Html => html`<button class="quiet" name="for" value="${value}">${label}</button>`;
  return html`${isSnoozed && html`<div class="acts">${send("unsnooze", html`<button class="quiet">${texts.unsnooze}</button>`)}</div>`}
<h3>${texts.snooze}</h3>
${postForm(`${path}/snooze`, visit.csrf, html`${choice("1h", texts.snoozes["1h"])}${choice("4h", texts.snoozes["4h"])}${choice("tomorrow", texts.tomorrow(zone))}`, "acts")}
${postForm(`${path}/snooze`, visit.csrf, html`${until}${choice("given", texts.snoozeGiven)}`, "acts")}`;
}

/** The form of a new incident with what is known. */
function incidentAddress(episode: EpisodeRow): string {
  const { id, openedAtMs, check } = episode;
  return addressWith("/incidents/new", {
    name: texts.incidentName[episode.standing](check.name).slice(0, 255),
    "incidentUpdates[0].description": texts.incidentText(check.name),
    severity: episode.standing === "failing" ? "MAJOR" : "MINOR",
    episode: alertUuid({ id, createdAtMs: openedAtMs }),
  });
}

interface Entry {
  readonly atMs: number;
  readonly entry: Html;
}

/** The newest first, as the list. */
function entriesOf(visit: Visit, { alerts, arrivals, acts }: EpisodeTimeline, names: ReadonlyMap<number, string>): readonly Entry[] {
  const told = alerts.map((alert, index) => ({
    atMs: alert.createdAtMs,
    entry: alertEntry(
      visit,
      alert,
      index === 0,
      arrivalList(
        arrivals.filter(({ alertId }) => alertId === alert.id),
        names,
        false,
      ),
    ),
  }));
  return [...told, ...acts.map((act) => ({ atMs: act.atMs, entry: actEntry(act) }))].toSorted((a, b) => a.atMs - b.atMs).toReversed();
}

function alertEntry({ placeName }: Visit, alert: CheckAlertRow, isFirst: boolean, sent: Html): Html {
  const { tone, text } = saidBy(alert);
  const { result, checkUuid, error, runLocation, reminder, failedRuns, createdAtMs } = alert;
  const what = isFirst ? `${texts.opened}: ${text}` : reminder > 0 ? texts.reminder(reminder) : text;
  return html`<li class="${tone}"><p class="about"><strong>${what}</strong><span>${momentElement(createdAtMs)}</span>${runLocation !== "" && html`<span>${texts.atPlaces(placeName(runLocation))}</span>`}<span>${texts.failedRuns(failedRuns, isPinged(alert.checkType))}</span>${result !== null && html`<a href="/checks/${checkUuid}/results/${resultUuidOf(result)}">${texts.run}</a>`}</p>
${error !== null && tone !== "ok" && html`<p class="error">${error}</p>`}<div class="sent">${sent}</div></li>`;
}

function actEntry({ atMs, kind, by, detail, untilMs }: EpisodeActRow): Html {
  const to = kind === "assigned" && html`<span>${detail === null ? texts.toNobodyAnymore : texts.to(detail)}</span>`;
  const until = untilMs !== null && html`<span>${texts.until(timeElement(untilMs))}</span>`;
  const incident = kind === "incident" && detail !== null && html`<a href="/incidents/${detail}">${texts.viewIncident}</a>`;
  return html`<li><p class="about"><strong>${texts.actBy(texts.acts[kind], by)}</strong>${to}${until}<span>${momentElement(atMs)}</span>${incident}</p>
${kind === "commented" && html`<p class="prose">${detail}</p>`}</li>`;
}
