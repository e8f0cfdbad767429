import { checkPageTexts } from "../../texts/check-page.ts";
import { heartbeatTexts as texts } from "../../texts/heartbeat.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel } from "../../view/state-label.ts";
import { intervalText, momentElement, numberText, percentText } from "../../view/units.ts";
import { verbatim } from "../facts.ts";
import { table } from "../table.ts";
import { alertMarks, incidentMarks, lanes } from "./lanes.ts";
import type { Measured } from "./measured.ts";
import { pingChart, pingMarks, pingTone } from "./ping-chart.ts";
import { eventsAtMost, type PingEvent, type Pings } from "./pings.ts";

/** Listed at most; a chart has them all. */
const rowsAtMost = 200;

/** What came of a heartbeat: how punctual its pings are, when one came last, and when the next one should. */
export function pingPart(view: Measured, pings: Pings): Html {
  const { check, range, nowMs } = view;
  const { events, isCut, periodMs, graceMs, pingUrl } = pings;
  const expected =
    graceMs > 0 ? texts.expected(intervalText(periodMs), intervalText(graceMs)) : texts.expectedSharp(intervalText(periodMs));
  return html`<div id="measured" data-at="${nowMs}">
${figures(pings, check.activated, nowMs)}
<p class="soft">${expected}</p>
${events.length === 0 ? html`<p class="box">${texts.nothing}</p>` : html`<div class="overtime">${pingChart(pings, range)}${happened(view, pings)}</div>`}
${isCut && html`<p class="hint">${texts.drawn(eventsAtMost)}</p>`}
${pingTable(events, isCut)}
<details><summary>${texts.address}</summary>${verbatim(`curl -fsS --retry 3 ${pingUrl}`, texts.address)}</details></div>`;
}

function figures(of: Pings, isOn: boolean, nowMs: number): Html {
  const { counts, events, lastPingMs } = of;
  const { pings, grace, late, missed } = counts;
  const figure = (name: string, value: string | Html): Html => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  const worstMs = Math.max(0, ...events.map(({ lateMs }) => lateMs ?? 0));
  const names = texts.figures;
  return html`<dl class="figures">${figure(names.onTime, pings + missed === 0 ? texts.none : percentText((100 * pings) / (pings + missed)))}${figure(names.pings, numberText(pings))}${figure(names.grace, numberText(grace))}${figure(names.late, numberText(late))}${figure(names.missed, numberText(missed))}${worstMs > 0 && figure(names.worst, intervalText(worstMs))}</dl>
<dl class="figures when-due">${figure(names.last, lastPingMs === null ? texts.never : momentElement(lastPingMs))}${figure(names.next, isOn ? nextDue(of, nowMs) : texts.off)}</dl>`;
}

/** An alert starts the timer anew, and the ping that it missed is still waited for. */
function nextDue({ timer, lastPingMs, periodMs, graceMs }: Pings, nowMs: number): string | Html {
  const sinceMs = timer.isFailing ? (lastPingMs ?? timer.startedAtMs) : timer.startedAtMs;
  if (sinceMs === null) return texts.notWaiting;
  const dueMs = sinceMs + periodMs;
  if (nowMs > dueMs)
    return html`${momentElement(dueMs)} <span class="soft">${stateLabel(timer.isFailing ? "bad" : "warn", texts.overdue)}</span>`;
  return graceMs === 0
    ? momentElement(dueMs)
    : html`${momentElement(dueMs)} <span class="soft">${texts.until} ${momentElement(dueMs + graceMs)}</span>`;
}

function happened({ alertsThen, incidents, range, nowMs }: Measured, { events }: Pings): Html {
  const names = checkPageTexts.lanes;
  const all = [
    { name: texts.lane, label: () => texts.laneLabel(events.length), marks: pingMarks(events, range) },
    { name: names.alerts, label: names.alertsLabel, marks: alertMarks(alertsThen) },
    { name: names.incidents, label: names.incidentsLabel, marks: incidentMarks(incidents, nowMs) },
  ];
  return lanes(all, range);
}

function pingTable(events: readonly PingEvent[], isCut: boolean): Html {
  if (events.length === 0) return html``;
  const shown = events.slice(-rowsAtMost).toReversed();
  const isMore = isCut || shown.length < events.length;
  return html`<h3>${texts.table.title}</h3><div class="tall">${table(texts.table.columns, shown.map(pingRow))}</div>
${isMore && html`<p class="hint">${texts.table.cut(shown.length)}</p>`}`;
}

function pingRow(event: PingEvent): Html {
  const { state, atMs, afterMs, lateMs, source, userAgent } = event;
  return html`<tr><td>${momentElement(atMs)}</td><td>${stateLabel(pingTone(event), texts.states[state])}</td><td>${lengthOf(afterMs)}</td><td>${lengthOf(lateMs)}</td><td class="free">${source ?? ""}</td><td class="free">${userAgent ?? ""}</td></tr>`;
}

function lengthOf(ms: number | null): string {
  return ms === null ? texts.none : intervalText(ms);
}

/** How a heartbeat stands. */
export function pingLabel({ lastPingMs, timer }: Pings): Html {
  if (timer.isFailing) return stateLabel("bad", texts.standing.silent);
  return timer.startedAtMs === null || lastPingMs === null
    ? stateLabel("none", texts.standing.unknown)
    : stateLabel("ok", texts.standing.onTime);
}
