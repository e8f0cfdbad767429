import type { CheckNotice, HeldWindow } from "#domain/check-notices.ts";
import { checkStateTexts } from "../../texts/check-states.ts";
import { type Html, html } from "../../view/html.ts";
import { clockElement, intervalText, timeElement } from "../../view/units.ts";

const texts = checkStateTexts.notices;

/** What people should know of a check, a label each. */
export function noticeLabels(notices: readonly CheckNotice[], nowMs: number, className = ""): readonly Html[] {
  return notices.map((notice) => html`<span${className !== "" && html` class="${className}"`}>${noticeText(notice, nowMs)}</span>`);
}

/** Maintenance that is yet to come; nothing where none is planned. */
export function plannedLabel(window: HeldWindow | null): Html {
  if (window === null) return html``;
  return html`<span class="soft">${texts.planned(timeElement(window.startsAtMs), timeElement(window.endsAtMs), window.name, doesText(window))}</span>`;
}

/** A window's effect on a check: `no runs, no alerts`. */
export function doesText({ pauses, silences }: HeldWindow): string {
  if (pauses && silences) return texts.does.both;
  return pauses ? texts.does.pauses : texts.does.silences;
}

function noticeText(notice: CheckNotice, nowMs: number): Html | string {
  switch (notice.kind) {
    case "paused":
      return texts.paused[notice.by];
    case "maintenance":
      return texts.maintenance(nearTime(notice.window.endsAtMs, nowMs), notice.window.name, doesText(notice.window));
    case "muted":
      return notice.untilMs === null ? texts.muted[notice.by] : texts.mutedUntil[notice.by](timeElement(notice.untilMs));
    case "no-agent": {
      const what = texts.noAgent(notice.places);
      return notice.sinceMs === null ? what : texts.noAgentSince(what, timeElement(notice.sinceMs));
    }
    case "first-run":
      return notice.atMs <= nowMs ? texts.firstRunNow : texts.firstRun(nearTime(notice.atMs, nowMs), intervalText(notice.atMs - nowMs));
    case "code":
      return texts.code(notice.project);
    default:
      return notice satisfies never;
  }
}

/** What comes within half a day is told by the clock. */
function nearTime(atMs: number, nowMs: number): Html {
  return atMs - nowMs < 12 * 3_600_000 ? clockElement(atMs) : timeElement(atMs);
}
