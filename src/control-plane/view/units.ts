import { type Html, html } from "./html.ts";
import { unitTexts as texts } from "./unit-texts.ts";

/** A response time as people read it: `84 ms`, `1.24 s`, `75 s`; on the same machine `0.042 ms`. */
export function durationText(ms: number): string {
  if (ms >= 0.001 && ms < 0.1) return `${Number(ms.toPrecision(2))} ms`;
  if (ms < 10) return `${ms.toFixed(1).replace(/\.0$/, "")} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  return `${(ms / 1000).toFixed(ms < 9_995 ? 2 : ms < 99_950 ? 1 : 0)} s`;
}

/** How long something went on, in its two largest units: `2 d 4 h`, `35 min`. */
export function lengthText(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000));
  const [days, hours, rest] = [Math.floor(minutes / 1_440), Math.floor((minutes % 1_440) / 60), minutes % 60];
  if (days > 0) return hours > 0 ? `${days} d ${hours} h` : `${days} d`;
  if (hours > 0) return rest > 0 ? `${hours} h ${rest} min` : `${hours} h`;
  return `${rest} min`;
}

/** A share in percent. Never rounded up to 100: that is said only of what never failed. */
export function percentText(percent: number): string {
  if (percent >= 100) return "100 %";
  const cut = Math.floor(percent * 100) / 100;
  return `${cut.toFixed(percent < 10 ? 1 : 2).replace(/\.?0+$/, "")} %`;
}

/** `12 checks`, `1 check`. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${numberText(count)} ${count === 1 ? one : many}`;
}

/** `12,345`. */
export function numberText(count: number): string {
  return thousands.format(count);
}

/** Made once: `toLocaleString` makes one for each number. */
const thousands = new Intl.NumberFormat("en-US");

/** `22 Nov 2026, 14:05 UTC`, for people and for programs. */
export function timeElement(ms: number): Html {
  return html`<time datetime="${iso(ms)}">${dateText(ms)}, ${clockText(ms)} ${texts.utc}</time>`;
}

/** The same to the second: `22 Nov 2026, 14:05:09 UTC`. */
export function momentElement(ms: number): Html {
  return html`<time datetime="${iso(ms)}" data-shows="second">${dateText(ms)}, ${iso(ms).slice(11, 19)} ${texts.utc}</time>`;
}

/** For a list of many: `22 Nov 2026, 14:05`. The list's head says the zone once, with `zoneElement`; the seconds are in the title. */
export function rowTimeElement(ms: number): Html {
  return html`<time datetime="${iso(ms)}" data-shows="row">${dateText(ms)}, ${clockText(ms)}</time>`;
}

/** The same to the second, where rows can be less than a minute apart: `22 Nov 2026, 14:05:09`. */
export function rowMomentElement(ms: number): Html {
  return html`<time datetime="${iso(ms)}" data-shows="row-second">${dateText(ms)}, ${iso(ms).slice(11, 19)}</time>`;
}

/** The zone of a list's times: UTC, until a script tells them in the reader's. */
export function zoneElement(): Html {
  return html`<span data-zone>${texts.utc}</span>`;
}

/** From the first to the second; a day that they share is told once. */
export function spanElements(fromMs: number, toMs: number, until: string): Html {
  if (dateText(fromMs) === dateText(toMs) && clockText(fromMs) === clockText(toMs)) return timeElement(fromMs);
  return html`${timeElement(fromMs)} ${until} ${dateText(fromMs) === dateText(toMs) ? clockElement(toMs) : timeElement(toMs)}`;
}

export function clockElement(ms: number): Html {
  return html`<time datetime="${iso(ms)}" data-shows="clock">${clockText(ms)} ${texts.utc}</time>`;
}

/** `22 Nov 2026`. */
export function dateText(ms: number): string {
  const at = new Date(ms);
  return `${at.getUTCDate()} ${texts.months[at.getUTCMonth()] ?? ""} ${at.getUTCFullYear()}`;
}

/** `14:05`, in UTC. */
export function clockText(ms: number): string {
  const minutes = Math.floor(ms / 60_000) % 1_440;
  return `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
}

function twoDigits(number: number): string {
  return number < 10 ? `0${number}` : String(number);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** A length that may be less than a minute: `45 s`, `1 min 30 s`; longer ones as `lengthText`. */
export function intervalText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds >= 600) return lengthText(ms);
  if (seconds < 60) return `${seconds} s`;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
