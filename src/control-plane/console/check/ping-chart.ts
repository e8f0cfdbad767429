import type { TimeWindow } from "#domain/time-range.ts";
import { checkPageTexts } from "../../texts/check-page.ts";
import { heartbeatTexts } from "../../texts/heartbeat.ts";
import { type Html, html } from "../../view/html.ts";
import type { Tone } from "../../view/state-label.ts";
import { intervalText } from "../../view/units.ts";
import type { Mark } from "./lanes.ts";
import type { PingEvent, Pings } from "./pings.ts";
import { plotSize } from "./plot-paths.ts";
import { ticksOf } from "./range.ts";

const texts = heartbeatTexts.chart;

/** What a dot shows: misses have no interval, they are lines. */
const kinds = ["ok", "early", "grace", "late"] as const;
type Kind = (typeof kinds)[number];
const kindTexts: Readonly<Record<Kind, string>> = { ok: texts.onTime, early: texts.early, grace: texts.grace, late: texts.late };

/** Each ping by how long after the one before it came, beside what was expected. */
export function pingChart({ events, periodMs, graceMs, counts }: Pings, window: TimeWindow): Html {
  const intervals = events.flatMap(({ afterMs }) => afterMs ?? []);
  const topMs = topOf(periodMs + graceMs, Math.max(0, ...intervals));
  const xOf = (ms: number): number => Math.round((plotSize.width * (ms - window.fromMs)) / (window.toMs - window.fromMs));
  const yOf = (ms: number): number => Math.round(plotSize.height * (1 - Math.min(1, ms / topMs)));
  const level = (ms: number, name: string): Html =>
    html`<line class="${name}" x1="0" x2="${plotSize.width}" y1="${yOf(ms)}" y2="${yOf(ms)}" vector-effect="non-scaling-stroke"/>`;
  const dots = kinds.map((kind) => {
    const points = events.flatMap((event) =>
      event.afterMs !== null && kindOf(event) === kind ? `M${xOf(event.atMs)} ${yOf(event.afterMs)}h0` : [],
    );
    return points.length === 0
      ? html``
      : html`<path class="${kind}" d="${[...new Set(points)].join("")}" vector-effect="non-scaling-stroke"/>`;
  });
  const missed = [...new Set(events.flatMap(({ state, atMs }) => (state === "FAILING" ? `M${xOf(atMs)} 0v${plotSize.height}` : [])))];
  const axis = [topMs, topMs / 2, 0].map((ms) => html`<span>${ms === 0 ? "0" : intervalText(ms)}</span>`);
  return html`<figure class="chart pings">
<figcaption>${texts.title} <span class="soft">${texts.reading}</span></figcaption>
<div class="plot"><div class="y" aria-hidden="true">${axis}</div>
<svg viewBox="0 0 ${plotSize.width} ${plotSize.height}" preserveAspectRatio="none" role="img" data-from="${window.fromMs}" data-to="${window.toMs}" aria-label="${texts.label(counts.pings, counts.missed)}">${[0, topMs / 2, topMs].map((ms) => level(ms, "grid"))}${level(periodMs, "period")}${graceMs > 0 && level(periodMs + graceMs, "limit")}${missed.length > 0 && html`<path class="missed" d="${missed.join("")}" vector-effect="non-scaling-stroke"/>`}${dots}</svg>
<div class="x" aria-hidden="true">${ticks(window)}</div></div>
${legend(events, periodMs, graceMs)}</figure>`;
}

/** In the reader's zone where a script tells it. */
function ticks(window: TimeWindow): readonly Html[] {
  const { fromMs, toMs } = window;
  const shows = toMs - fromMs <= 36 * hourMs ? "tick" : "day";
  return ticksOf(window).map((tick, index, { length }) => {
    const at = new Date(fromMs + ((toMs - fromMs) * index) / (length - 1)).toISOString();
    return html`<time datetime="${at}" data-shows="${shows}">${index === length - 1 ? checkPageTexts.charts.utc(tick) : tick}</time>`;
  });
}

function legend(events: readonly PingEvent[], periodMs: number, graceMs: number): Html {
  const dots = kinds.filter((kind) => events.some((event) => event.afterMs !== null && kindOf(event) === kind));
  const entry = (drawn: Html, text: string): Html =>
    html`<li><svg viewBox="0 0 18 6" aria-hidden="true">${drawn}</svg><span>${text}</span></li>`;
  return html`<ul class="legend">${dots.map((kind) => entry(html`<path class="${kind}" d="M9 3h0"/>`, kindTexts[kind]))}
${events.some(({ state }) => state === "FAILING") && entry(html`<path class="missed" d="M9 0v6"/>`, texts.missed)}
${entry(html`<path class="period" d="M1 3h16"/>`, texts.period(intervalText(periodMs)))}
${graceMs > 0 && entry(html`<path class="limit" d="M1 3h16"/>`, texts.limit(intervalText(periodMs + graceMs)))}</ul>`;
}

const kindOfState: Readonly<Record<PingEvent["state"], Kind>> = {
  RECEIVED: "ok",
  EARLY: "early",
  GRACE: "grace",
  LATE: "late",
  FAILING: "late",
};

function kindOf({ state }: PingEvent): Kind {
  return kindOfState[state];
}

/** What is expected stands in the lower two thirds; a gap that is much longer is cut off at the top. */
function topOf(expectedMs: number, longestMs: number): number {
  const least = Math.min(Math.max(1.4 * expectedMs, 1.05 * longestMs), 3 * expectedMs);
  return tops.find((top) => top >= least) ?? Math.ceil(least / (60 * dayMs)) * 60 * dayMs;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Halves of these read well. */
const tops: readonly number[] = [
  ...[1, 2, 4, 6, 10, 20, 30, 40].map((minutes) => minutes * minuteMs),
  ...[1, 2, 4, 6, 8, 12, 16].map((hours) => hours * hourMs),
  ...[1, 2, 4, 6, 8, 10, 14, 20, 30, 40, 60].map((days) => days * dayMs),
];

const tones: Readonly<Record<PingEvent["state"], Tone>> = { RECEIVED: "ok", EARLY: "ok", GRACE: "ok", LATE: "warn", FAILING: "bad" };

export function pingTone({ state }: PingEvent): Tone {
  return tones[state];
}

/** For the lane: what follows each other closely and is alike is one. */
export function pingMarks(events: readonly PingEvent[], window: TimeWindow): readonly Mark[] {
  const nearMs = (window.toMs - window.fromMs) / 120;
  const runs: { readonly state: PingEvent["state"]; readonly fromMs: number; toMs: number; count: number }[] = [];
  for (const { state, atMs } of events) {
    const last = runs.at(-1);
    if (last !== undefined && tones[last.state] === tones[state] && atMs - last.toMs <= nearMs) {
      last.toMs = atMs;
      last.count += 1;
    } else runs.push({ state, fromMs: atMs, toMs: atMs, count: 1 });
  }
  return runs.map(({ state, fromMs, toMs, count }) => {
    const name = heartbeatTexts.states[state];
    return { fromMs, toMs, tone: tones[state], text: count === 1 ? name : heartbeatTexts.many(name, count) };
  });
}
