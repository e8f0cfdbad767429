import type { EncodedForm } from "./encoded-forms.ts";
import { refusalOf } from "./secret-refusal.ts";

/** Long texts may have been cut at a limit; the ends of short ones are theirs. Characters. */
const longText = 1_000;
/** What we write where we cut a text for a sentence. */
const cutSign = Buffer.from("…");
/** So much of the beginning of a secret is worth hiding, bytes; of short ones the half. */
const worthHiding = 8;
const leastBytes = 4;

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

  /** Whether a text may hold one at all; costs little. */
  mayBeIn(text: string): boolean {
    return text.length >= longText || text.includes("…");
  }

  /** As start, end, by rising end: at most one for each place where the text was cut. */
  hitsIn(bytes: Buffer, length: number): (readonly [start: number, end: number])[] {
    const ends: number[] = [];
    for (let at = bytes.indexOf(cutSign); at !== -1 && at < length; at = bytes.indexOf(cutSign, at + 1)) ends.push(at);
    if (length >= longText) ends.push(length);
    return ends.flatMap((end, index) => {
      const start = this.#startBefore(bytes, ends[index - 1] ?? 0, end); // not before the last one: a text may be nothing but signs
      return start === null ? [] : [[start, end] as const];
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

function isBeginning(form: Buffer, bytes: Buffer, at: number, end: number): boolean {
  const length = end - at;
  if (length >= form.length || (length < worthHiding && 2 * length < form.length)) return false;
  return bytes.compare(form, 0, length, at, end) === 0 && refusalOf(bytes.toString("utf8", at, end)) === null;
}
