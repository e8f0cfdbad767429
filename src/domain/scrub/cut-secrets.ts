import type { EncodedForm } from "./encoded-forms.ts";
import { introducers, longestEscape } from "./escapes.ts";
import { refusalOf } from "./secret-refusal.ts";

/** Long texts may have been cut at a limit; the ends of short ones are theirs. Characters. */
export const longText = 1_000;
/** What stands where a text was cut: `…` is ours, `...` of `util.inspect` and many others. */
const cutSigns = ["…", "..."].map((sign) => Buffer.from(sign));
const blank = 0x20;
/** So much of the beginning of a secret is worth hiding, bytes; of short ones the half. */
const worthHiding = 8;
const leastBytes = 4;

/** Whether a text may have been cut at all; costs little. */
export function mayBeCutIn(text: string): boolean {
  return text.length >= longText || text.includes("…") || text.includes("...");
}

/**
 * Finds secrets of which only the beginning is left, as the text was cut in their middle: at the end of a long text, and before `…`.
 * Without it a body that is stored up to a limit, or a text that a sentence quotes, would give away all but a character.
 */
export class CutSecrets {
  /** About what it takes in memory. */
  readonly bytes: number;
  readonly #formsByStart = new Map<number, Buffer[]>();
  readonly #longest: number;

  constructor(forms: readonly EncodedForm[]) {
    for (const { bytes } of forms) this.#formsByStart.getOrInsertComputed(bytes.readUInt32LE(0), () => []).push(bytes);
    this.#longest = forms.reduce((longest, { bytes }) => Math.max(longest, bytes.length), 0);
    this.bytes = forms.reduce((sum, { bytes }) => sum + bytes.length + 64, 0);
  }

  /** As start, end, by rising end: at most one for each place where the text was cut. @param isCut whether it was at its end */
  hitsIn(bytes: Buffer, length: number, isCut: boolean): (readonly [start: number, end: number])[] {
    const ends = cutSigns.flatMap((sign) => endsBefore(sign, bytes, length)).toSorted((a, b) => a - b);
    if (isCut) ends.push(length);
    return ends.flatMap((end, index) => {
      const from = ends[index - 1] ?? 0; // not before the last one: a text may be nothing but signs
      for (const last of lastWhole(bytes, from, end)) {
        const start = this.#startBefore(bytes, from, last);
        if (start !== null) return [[start, end] as const];
      }
      return [];
    });
  }

  /** The first place from which on nothing but a beginning of a secret stands up to `end`. */
  #startBefore(bytes: Buffer, from: number, end: number): number | null {
    for (let at = Math.max(from, end - this.#longest); at <= end - leastBytes; at += 1) {
      const forms = this.#formsByStart.get(bytes.readUInt32LE(at));
      if (forms?.some((form) => isBeginning(form, bytes, at, end))) return at;
    }
    return null;
  }
}

function endsBefore(sign: Buffer, bytes: Buffer, length: number): number[] {
  const ends: number[] = [];
  for (let at = bytes.indexOf(sign); at !== -1 && at < length; at = bytes.indexOf(sign, at + 1)) {
    let end = at;
    while (end > (ends.at(-1) ?? 0) && bytes[end - 1] === blank) end -= 1;
    ends.push(end);
  }
  return ends;
}

/** Where the text was cut, and before it where the escape begins that the cut may have left a part of. */
function lastWhole(bytes: Buffer, from: number, end: number): number[] {
  const ends = [end];
  for (let at = end - 1; at > end - longestEscape && at > from; at -= 1) if (introducers[bytes[at] as number] === 1) ends.push(at);
  return ends;
}

function isBeginning(form: Buffer, bytes: Buffer, at: number, end: number): boolean {
  const length = end - at;
  if (length >= form.length || (length < worthHiding && 2 * length < form.length)) return false;
  return bytes.compare(form, 0, length, at, end) === 0 && refusalOf(bytes.toString("utf8", at, end)) === null;
}
