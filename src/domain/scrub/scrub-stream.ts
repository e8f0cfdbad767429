import type { SecretFinder } from "./secret-finder.ts";

/** `text`: each masked stretch becomes `********`. `binary`: as many `*` as there were bytes, so that offsets stay. */
export type MaskStyle = "text" | "binary";

/** What stands in a text where a secret stood. */
export const mask = "********";

const asterisk = 0x2a;
const maskBytes = Buffer.from(mask);
const stepBytes = 262_144;
/** There may be thousands of short contents in an archive. */
const firstBytes = 4_096;

/** Scrubs bytes as they come. The output does not depend on how the input is cut into chunks. */
export interface ScrubStream {
  /** What is safe to pass on so far; may be empty. The chunk is not changed. */
  push(chunk: Uint8Array): Buffer;
  /** The rest. */
  end(): Buffer;
}

/** A stream over what finds secrets; see `ScrubWindow` for one that makes no garbage. */
export function scrubStream(finder: SecretFinder | null, style: MaskStyle): ScrubStream {
  let parts: Buffer[] = [];
  const taken = (): Buffer => {
    const bytes = Buffer.concat(parts);
    parts = [];
    return bytes;
  };
  const window = new ScrubWindow(finder, style, (bytes) => parts.push(Buffer.from(bytes)));
  return {
    push(chunk) {
      window.push(chunk);
      return taken();
    },
    end() {
      window.end();
      return taken();
    },
  };
}

/**
 * Holds back what a hit may still begin in. Hits are found before anything is masked, so a masked byte never hides another hit; overlapping
 * and touching hits are one.
 */
export class ScrubWindow {
  /** Whether anything was masked so far. */
  found = false;
  readonly #finder: SecretFinder | null;
  readonly #style: MaskStyle;
  readonly #emit: (bytes: Buffer) => void;
  #bytes: Buffer;
  #length = 0;
  /** How much of it was looked at. */
  #kept = 0;
  /** How far the mask written last reaches into what is kept; -1 when it does not touch it. */
  #maskedUntil = -1;

  /** @param emit gets views that are valid during the call only */
  constructor(finder: SecretFinder | null, style: MaskStyle, emit: (bytes: Buffer) => void) {
    this.#finder = finder;
    this.#style = style;
    this.#emit = emit;
    this.#bytes = Buffer.allocUnsafe(finder === null ? 0 : firstBytes);
  }

  push(chunk: Uint8Array): void {
    if (this.#finder === null) return this.#emit(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    for (let at = 0; at < chunk.length; at += stepBytes) {
      this.#add(chunk.subarray(at, at + stepBytes));
      if (this.#length > 2 * this.#kept) this.#pass(this.#finder, false); // else what is kept would be looked at over and over
    }
  }

  end(): void {
    if (this.#finder !== null) this.#pass(this.#finder, true);
  }

  #add(step: Uint8Array): void {
    const length = this.#length + step.length;
    if (length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(2 * length);
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    this.#bytes.set(step, this.#length);
    this.#length = length;
  }

  #pass(finder: SecretFinder, isEnd: boolean): void {
    const { hits, settled } = finder.find(this.#bytes, this.#length, isEnd);
    if (hits.length > 0) this.found = true;
    const masked = masking(this.#bytes, settled, hits, this.#maskedUntil, this.#style);
    for (const part of masked.parts) if (part.length > 0) this.#emit(part);
    this.#maskedUntil = masked.until >= settled ? masked.until - settled : -1;
    this.#bytes.copyWithin(0, settled, this.#length);
    this.#length -= settled;
    this.#kept = this.#length;
  }
}

/**
 * The first `cut` bytes with their hits masked. `maskedUntil` continues a mask from before, whose text is written
 * already; `until` is where the last mask ends, perhaps beyond the cut.
 */
export function masking(
  bytes: Buffer,
  cut: number,
  hits: readonly number[],
  maskedUntil: number,
  style: MaskStyle,
): { parts: Buffer[]; until: number } {
  const parts: Buffer[] = [];
  let until = maskedUntil;
  let done = Math.max(0, Math.min(cut, maskedUntil));
  if (style === "binary" && done > 0) parts.push(Buffer.alloc(done, asterisk));
  for (let index = 0; index < hits.length; index += 2) {
    const start = hits[index] as number;
    const end = hits[index + 1] as number;
    if (start >= cut) break;
    if (end <= until) continue;
    if (start > until) {
      parts.push(bytes.subarray(done, start));
      if (style === "text") parts.push(maskBytes);
      done = start;
    }
    until = end;
    const stop = Math.min(end, cut);
    if (style === "binary") parts.push(Buffer.alloc(stop - done, asterisk));
    done = stop;
  }
  parts.push(bytes.subarray(done, cut));
  return { parts, until };
}
