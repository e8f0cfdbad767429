import { traceConclusion } from "#domain/root-causes/trace-conclusion.ts";
import { resultPageTexts } from "../../texts/result-page.ts";
import { type Html, html } from "../../view/html.ts";
import { durationText } from "../../view/units.ts";
import { table } from "../table.ts";

const texts = resultPageTexts.evidence;

/** One line of a traceroute. */
export interface Hop {
  /** `3`, or `4-30` of hops that were silent. */
  readonly number: string;
  /** Null: no answer. */
  readonly from: string | null;
  readonly ms: number | null;
  readonly says: string;
}

export interface TracePart {
  readonly heading: string;
  readonly hops: readonly Hop[];
}

/** Hops of each method, and the sentence that concludes; what is not written as agents write it is left out. */
export function readTrace(text: string): { readonly parts: readonly TracePart[]; readonly conclusion: string } {
  const blocks = text.trim().split(/\n{2,}/);
  const parts = blocks.flatMap((block) => {
    const [heading = "", ...lines] = block.split("\n");
    return heading.startsWith("traceroute to ") ? [{ heading, hops: lines.flatMap((line) => hopOf(line) ?? []) }] : [];
  });
  return { parts, conclusion: traceConclusion(text) };
}

/** `3  192.0.2.7  12.345 ms  open`. */
function hopOf(line: string): Hop | null {
  const [, number, rest] = /^ *(\d{1,2}(?:-\d{1,2})?) {2}(\S.*)$/.exec(line) ?? [];
  if (number === undefined || rest === undefined) return null;
  if (rest === "*") return { number, from: null, ms: null, says: texts.noAnswer };
  const [from = "", second = "", ...others] = rest.split("  ");
  const [, ms] = /^([\d.]+) ms$/.exec(second) ?? [];
  const isAddress = /^[\d.]+$|:/.test(from) && !from.startsWith("not sent");
  if (!isAddress) return { number, from: null, ms: null, says: rest };
  const says = (ms === undefined ? [second, ...others] : others).filter((one) => one !== "").join(", ");
  return { number, from, ms: ms === undefined ? null : Number(ms), says };
}

export function traceTable({ heading, hops }: TracePart): Html {
  const longest = Math.max(1, ...hops.map(({ ms }) => ms ?? 0));
  const rows = hops.map(({ number, from, ms, says }) => {
    const bar = html`<svg width="100%" height="10" aria-hidden="true"><rect class="p5" width="${((100 * (ms ?? 0)) / longest).toFixed(1)}%" height="10" rx="2"/></svg>`;
    return html`<tr><td>${number}</td><td>${from ?? html`<span class="soft">${texts.none}</span>`}</td><td class="time">${ms === null ? texts.none : durationText(ms)}</td><td class="bar">${ms !== null && bar}</td><td class="free">${says}</td></tr>`;
  });
  return html`<p class="soft">${heading}</p>${table(texts.hopColumns, rows, "hops")}`;
}
