import type { Scanner } from "./scanner.ts";

/** `text`: each masked stretch becomes `********`. `binary`: as many `*` as there were bytes, so that offsets stay. */
export type MaskStyle = "text" | "binary";

/** What stands in a text where a secret stood. */
export const mask = "********";

const asterisk = 0x2a;
const maskBytes = Buffer.from(mask);
const nothing = Buffer.alloc(0);

/** Scrubs bytes as they come. The output does not depend on how the input is cut into chunks. */
export interface ScrubStream {
  /** What is safe to pass on so far; may be empty. The chunk is not changed. */
  push(chunk: Uint8Array): Buffer;
  /** The rest. */
  end(): Buffer;
}

/**
 * A stream over a compiled scanner. It holds back what a hit may still begin in: the longest hit less one byte. Hits
 * are found before anything is masked, so a masked byte never hides another hit; overlapping and touching hits are one.
 */
export function scrubStream(scanner: Scanner | null, style: MaskStyle): ScrubStream {
  if (scanner === null) return { push: (chunk) => Buffer.from(chunk), end: () => nothing };
  let kept: Buffer = nothing;
  /** How far the mask written last reaches into `kept`; -1 when it does not touch it. */
  let maskedUntil = -1;

  function pass(bytes: Buffer, cut: number): Buffer {
    const masked = masking(bytes, cut, scanner?.scan(bytes, bytes.length) ?? [], maskedUntil, style);
    maskedUntil = masked.until >= cut ? masked.until - cut : -1;
    kept = Buffer.from(bytes.subarray(cut));
    return Buffer.concat(masked.parts);
  }

  return {
    push(chunk) {
      const bytes = Buffer.concat([kept, chunk]);
      return pass(bytes, Math.max(0, bytes.length - scanner.maxLength + 1));
    },
    end: () => pass(kept, kept.length),
  };
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
