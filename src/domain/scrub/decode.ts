import { ByteLists, longestListStart } from "./byte-lists.ts";
import { Candidates } from "./candidates.ts";
import { DecodedText, type Source } from "./decoded-text.ts";
import { EscapeReader, introducers, longestEscape, writeUtf8 } from "./escapes.ts";

const comma = 0x2c;
/** So often one encoding may stand in another: JSON in JSON in HTML in a URL, of a secret that looks encoded twice itself. */
export const deepest = 6;

/** Whatever begins within so many bytes of the end may not be seen yet as what it is. */
export const unsettledBytes = Math.max(longestEscape, longestListStart);

/** Whether anything in a text may be written otherwise than it is; costs little. */
export function mayHaveEscapes(text: string): boolean {
  return /[\\%&]|[0-9],[0-9\s+-]/.test(text);
}

/**
 * Every stretch in which something is written otherwise than it is, decoded once; what comes out may have to be decoded again. A text with
 * escapes has `reach` bytes before the first of them and behind the last one, as far as they are there.
 */
export function decodedTexts(source: Source, reach: number): DecodedText[] {
  const { bytes, length } = source;
  const found: DecodedText[] = [];
  const lists = new ByteLists(source);
  const candidates = new Candidates(bytes, length);
  let from = 0;
  for (let at = candidates.next(0); at !== -1; ) {
    if (bytes[at] === comma) at = candidates.next(lists.add(at));
    else if (!reader.read(bytes, at, length)) at = candidates.next(at + 1);
    else {
      const text = undone(source, Math.max(from, at - reach), at, reach, lists);
      found.push(text);
      from = text.end - reach;
      at = text.isOpen ? -1 : candidates.next(text.end);
    }
  }
  return lists.text === null ? found : [...found, lists.text];
}

/** What becomes of a value that looks as if it had escapes itself, by those who undo them once, twice … */
export function readings(value: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let bytes = value; found.length < deepest; ) {
    const texts = decodedTexts({ bytes, length: bytes.length, isEnd: true, isCut: false }, bytes.length);
    const text = texts.find(({ start, end }) => start === 0 && end === bytes.length);
    if (text === undefined) break;
    bytes = text.bytes.subarray(0, text.length);
    found.push(bytes);
  }
  return found;
}

function undone(source: Source, start: number, first: number, reach: number, lists: ByteLists): DecodedText {
  const { bytes, length, isEnd, isCut } = source;
  if (scratch.length < length - start) scratch = Buffer.allocUnsafe(2 * (length - start));
  const text = new DecodedText(start);
  const out = scratch;
  const settled = isEnd ? Number.POSITIVE_INFINITY : length;
  bytes.copy(out, 0, start, first);
  let size = first - start;
  let at = first;
  let last = first;
  let listedUntil = first;
  while (at < length && at - last < reach) {
    const byte = bytes[at] as number;
    if (introducers[byte] === 1) {
      if (reader.read(bytes, at, length)) {
        const from = size;
        size = writeUtf8(out, size, reader.value);
        last = at + reader.length;
        text.mark(from, size, at, last);
        at = last;
        continue;
      }
      if (at + longestEscape > settled) break;
    } else if (byte === comma && at >= listedUntil) listedUntil = lists.add(at);
    out[size] = byte;
    size += 1;
    at += 1;
  }
  text.length = size;
  text.bytes = Buffer.from(out.subarray(0, size));
  text.end = at;
  text.isOpen = !isEnd && at - last < reach;
  text.isCut = isCut && at === length;
  return text;
}

/** One for all: nothing is kept in it between two escapes. */
const reader = new EscapeReader();
/** Where a text is decoded before it is known how long it gets. */
let scratch = Buffer.alloc(0);
