import type { CheckAlert } from "#contract/check-alerts.ts";
import type { CheckGap } from "#contract/check-gaps.ts";
import type { ErrorGroup } from "#contract/error-groups.ts";
import type { HeldWindow } from "#domain/check-notices.ts";
import type { ChangeFact } from "#domain/root-causes/cause-facts.ts";
import type { TimeWindow } from "#domain/time-range.ts";
import { checkPageTexts } from "../../texts/check-page.ts";
import { gapTexts } from "../../texts/gaps.ts";
import { type Html, html } from "../../view/html.ts";
import type { Tone } from "../../view/state-label.ts";
import { clockText, dateText } from "../../view/units.ts";
import { saidBy } from "../alerts/said-by.ts";
import { beganAt, type IncidentRead, severityTone } from "../incidents/incident-words.ts";
import type { FailedRun } from "./measured.ts";
import { doesText } from "./notice-labels.ts";

const texts = checkPageTexts.lanes;

/** What went on, or happened at once where both are the same. */
export interface Mark {
  readonly fromMs: number;
  readonly toMs: number;
  readonly tone: Tone | "gap" | "held";
  readonly text: string;
  /** Where a click leads. */
  readonly href?: string;
}

export interface Lane {
  readonly name: string;
  /** Of how many marks. */
  readonly label: (count: number) => string;
  readonly marks: readonly Mark[];
}

export function errorMarks(errors: readonly ErrorGroup[]): readonly Mark[] {
  return errors.map(({ firstSeen, lastSeen, cleanedErrorMessage }) => ({
    fromMs: Date.parse(firstSeen),
    toMs: Date.parse(lastSeen),
    tone: "bad",
    text: cleanedErrorMessage,
  }));
}

/** Each opens its run. */
export function failedMarks(checkId: string, failures: readonly FailedRun[]): readonly Mark[] {
  return failures.flatMap(({ id, startedAt, runLocation }): readonly Mark[] => {
    if (startedAt === null) return [];
    const atMs = Date.parse(startedAt);
    return [{ fromMs: atMs, toMs: atMs, tone: "bad", text: texts.failedAt(runLocation), href: `/checks/${checkId}/results/${id}` }];
  });
}

export function alertMarks(alerts: readonly CheckAlert[]): readonly Mark[] {
  return alerts.map((alert) => {
    const { tone, text } = saidBy(alert);
    const atMs = Date.parse(alert.created_at);
    return { fromMs: atMs, toMs: atMs, tone, text: texts.atPlace(text, alert.runLocation) };
  });
}

/** Edits of the check and of what its runs share, and deployments. */
export function changeMarks(changes: readonly ChangeFact[]): readonly Mark[] {
  return changes.map(({ what, atMs, by, fields }) => ({ fromMs: atMs, toMs: atMs, tone: "busy", text: texts.changed(what, by, fields) }));
}

export function gapMarks(gaps: readonly CheckGap[]): readonly Mark[] {
  return gaps.map(({ firstSlot, lastSlot, reason, slots }) => ({
    fromMs: Date.parse(firstSlot),
    toMs: Date.parse(lastSlot),
    tone: "gap",
    text: gapTexts.mark(gapTexts.reasons[reason], gapTexts.slots(slots)),
  }));
}

export function maintenanceMarks(windows: readonly HeldWindow[]): readonly Mark[] {
  return windows.map((window) => ({
    fromMs: window.startsAtMs,
    toMs: window.endsAtMs,
    tone: "held",
    text: texts.maintenanceOf(window.name, doesText(window)),
  }));
}

/** @param nowMs where an incident ends that goes on */
export function incidentMarks(incidents: readonly IncidentRead[], nowMs: number): readonly Mark[] {
  return incidents.map((incident) => {
    const fromMs = beganAt(incident);
    return {
      fromMs,
      toMs: incident.duration === null ? nowMs : fromMs + incident.duration,
      tone: severityTone(incident.severity),
      text: incident.name,
    };
  });
}

/** What happened, on the axis of time of the charts: a line for each kind that has something to tell. */
export function lanes(all: readonly Lane[], window: TimeWindow): Html {
  const shown = all
    .map((lane) => ({ ...lane, marks: lane.marks.filter(({ fromMs, toMs }) => toMs >= window.fromMs && fromMs < window.toMs) }))
    .filter(({ marks }) => marks.length > 0);
  if (shown.length === 0) return html``;
  return html`<div class="lanes">${shown.map(
    ({ name, label, marks }) =>
      html`<span aria-hidden="true">${name}</span><svg role="${marks.some(({ href }) => href !== undefined) ? "group" : "img"}" aria-label="${label(marks.length)}">${marks.some(({ tone }) => tone === "gap") && hatching}${marks.toSorted(byTone).map((mark) => shape(mark, window))}</svg>`,
  )}</div>`;
}

/** What is bad lies on top of what is well. */
const depths: Readonly<Record<Mark["tone"], number>> = { gap: 0, held: 0, none: 0, ok: 1, busy: 2, warn: 3, bad: 4 };
const byTone = (a: Mark, b: Mark): number => depths[a.tone] - depths[b.tone];

/** What `chart-style.ts` fills gaps with. */
const hatching = html`<defs><pattern id="hatched" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 3h6"/></pattern></defs>`;

function shape(mark: Mark, window: TimeWindow): Html {
  const { fromMs, toMs, text, href } = mark;
  const drawn = drawnMark(mark, window);
  return href === undefined ? drawn : html`<a href="${href}" aria-label="${whenText(fromMs, toMs, text)}">${drawn}</a>`;
}

function drawnMark({ fromMs, toMs, tone, text }: Mark, window: TimeWindow): Html {
  const shareOf = (ms: number): number => Math.min(100, Math.max(0, (100 * (ms - window.fromMs)) / (window.toMs - window.fromMs)));
  const [from, to] = [shareOf(fromMs), shareOf(toMs)];
  const title = html`<title>${whenText(fromMs, toMs, text)}</title>`;
  if (to - from < 0.6) return html`<circle class="${tone}" cx="${from.toFixed(2)}%" cy="50%" r="4">${title}</circle>`;
  return html`<rect class="${tone}" x="${from.toFixed(2)}%" y="25%" width="${(to - from).toFixed(2)}%" height="50%" rx="3">${title}</rect>`;
}

export function whenText(fromMs: number, toMs: number, text: string): string {
  const moment = (ms: number): string => `${dateText(ms)}, ${clockText(ms)} UTC`;
  return fromMs === toMs ? texts.at(moment(fromMs), text) : texts.fromTo(moment(fromMs), moment(toMs), text);
}
