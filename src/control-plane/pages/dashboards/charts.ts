import { dashboardTexts as texts } from "../../texts/dashboards.ts";
import { gapTexts } from "../../texts/gaps.ts";
import { type Html, html } from "../../view/html.ts";
import { clockText, countText, durationText } from "../../view/units.ts";
import type { ShownHour } from "./shown-checks.ts";

/** A bar for each hour, amber where runs were degraded; where runs failed, it is red from the top, as far as their share goes. */
export function strip(hours: readonly ShownHour[]): Html {
  const step = 100 / hours.length;
  const bars = hours.map((hour, index) => {
    const at = html` x="${rounded(index * step + step * 0.1)}%" width="${rounded(step * 0.8)}%" rx="1.5"`;
    const title = html`<title>${hourTitle(hour)}</title>`;
    if (hour.unknown === null) return bar(hour, at, title);
    return html`<g>${title}${bar(hour, at, html``)}${hatched(hour, hour.unknown.slots, index * step + step * 0.5)}</g>`;
  });
  return html`<svg class="strip" role="img" aria-label="${stripLabel(hours)}">${bars}</svg>`;
}

/** Of a bar, from below: as much as could not run. */
function hatched({ runs }: ShownHour, slots: number, middle: number): Html {
  const share = runs === 0 ? 100 : Math.min(Math.max((100 * slots) / (runs + slots), 25), 90);
  const x = html`x1="${rounded(middle)}%" x2="${rounded(middle)}%"`;
  return html`<line class="gap" ${x} y1="100%" y2="${rounded(100 - share)}%"/>`;
}

/** Most are one element: a page has over a thousand of them. */
function bar({ runs, failed, degraded }: ShownHour, at: Html, title: Html): Html {
  const whole = (name: string): Html => html`<rect class="${name}"${at} height="100%">${title}</rect>`;
  if (runs === 0) return whole("none");
  if (failed === 0) return whole(degraded > 0 ? "warn" : "ok");
  if (failed === runs) return whole("bad");
  // A single failure among many is seen, too.
  const share = Math.min(Math.max((100 * failed) / runs, 25), 90);
  return html`<g>${title}<rect class="ok"${at} height="100%"/><rect class="bad"${at} height="${rounded(share)}%"/></g>`;
}

function hourTitle(hour: ShownHour): string {
  const { runs, failed, degraded, unknown } = hour;
  const ran = runs === 0 ? texts.noResults : texts.runsOf(countText(runs, "run"), failed, degraded);
  const all =
    unknown === null ? ran : texts.andUnknown(ran, gapTexts.mark(gapTexts.reasons[unknown.reason], gapTexts.slots(unknown.slots)));
  return texts.hourTitle(hourText(hour), all);
}

/** `13:00–14:00`. */
export function hourText({ fromMs }: ShownHour): string {
  return `${clockText(fromMs)}–${clockText(fromMs + 3_600_000)}`;
}

function stripLabel(hours: readonly ShownHour[]): string {
  const empty = hours.filter(({ runs }) => runs === 0).length;
  const failed = hours.filter((hour) => hour.failed > 0).length;
  const unknown = hours.filter((hour) => hour.unknown !== null).length;
  const degraded = hours.filter((hour) => hour.failed === 0 && hour.degraded > 0).length;
  const passed = hours.length - empty - failed - degraded;
  const parts = [
    passed > 0 && texts.hoursPassed(countText(passed, "hour")),
    degraded > 0 && texts.hoursDegraded(countText(degraded, "hour")),
    failed > 0 && texts.hoursFailed(countText(failed, "hour")),
    empty > 0 && texts.hoursEmpty(countText(empty, "hour")),
    unknown > 0 && texts.hoursUnknown(countText(unknown, "hour")),
  ];
  return texts.stripOf(parts.filter((part) => part !== false).join(", "));
}

type Point = readonly [x: number, y: number];
const size = { width: 240, height: 60 };

/** Response time by hour as a line; hours without any are a gap in it. Empty where nothing was measured. */
export function timeLine(hours: readonly ShownHour[], lines: readonly ("p50" | "p95")[], className: string): Html {
  const values = hours.flatMap((hour) => lines.flatMap((line) => hour[line] ?? []));
  const medians = hours.flatMap(({ p50 }) => p50 ?? []);
  if (medians.length === 0) return html``;
  const top = Math.max(...values) * 1.08;
  const paths = lines.map((line) => {
    const points = hours.map(({ [line]: value }, index): Point | null =>
      value === null ? null : [((index + 0.5) * size.width) / hours.length, size.height * (1 - value / top)],
    );
    const alone = points.map((point, index) => (points[index - 1] || points[index + 1] ? null : point));
    const dots =
      alone.some((point) => point !== null) && html`<path class="${line} dot" d="${pathOf(alone)}" vector-effect="non-scaling-stroke"/>`;
    return html`<path class="${line}" d="${pathOf(points)}" vector-effect="non-scaling-stroke"/>${dots}`;
  });
  const label = texts.lineOf(durationText(Math.min(...medians)), durationText(Math.max(...medians)));
  return html`<svg class="${className}" viewBox="0 0 ${size.width} ${size.height}" preserveAspectRatio="none" role="img" aria-label="${label}">${paths}</svg>`;
}

/** A point that stands alone is a line of no length, which a round cap shows: as a dot where the stroke is as wide as one. */
function pathOf(points: readonly (Point | null)[]): string {
  return points
    .map((point, index) => {
      if (point === null) return "";
      const [x, y] = point.map(rounded) as [number, number];
      const before = points[index - 1] ?? null;
      return before === null ? `M${x} ${y}h0` : `L${x} ${y}`;
    })
    .join("");
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
