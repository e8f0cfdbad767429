/* Times in the reader's zone, as British English writes them: 22 Nov 2026. */

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const wholeDay = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const zone = new Intl.DateTimeFormat("en-GB", { timeZoneName: "short" });

/** A text below an axis: days at midnight, else times. */
export function tickText(ms: number): string {
  const at = new Date(ms);
  return at.getHours() === 0 && at.getMinutes() === 0 ? day.format(at) : clock.format(at);
}

/** `22 Nov 2026, 14:05–14:15 CET`. */
export function bucketText(fromMs: number, toMs: number): string {
  const isOneDay = wholeDay.format(fromMs) === wholeDay.format(toMs);
  // Both ends in one minute: one time says it all.
  if (isOneDay && clock.format(fromMs) === clock.format(toMs))
    return `${wholeDay.format(fromMs)}, ${clock.format(fromMs)} ${zoneName(fromMs)}`;
  const until = isOneDay ? clock.format(toMs) : `${wholeDay.format(toMs)}, ${clock.format(toMs)}`;
  return `${wholeDay.format(fromMs)}, ${clock.format(fromMs)} – ${until} ${zoneName(fromMs)}`;
}

export function zoneName(ms: number): string {
  const at = Number.isNaN(ms) ? Date.now() : ms;
  return zone.formatToParts(at).find(({ type }) => type === "timeZoneName")?.value ?? "";
}

/** What an input of date and time takes. */
export function dayText(ms: number): string {
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
