import { type CutSecrets, longText } from "./cut-secrets.ts";
import { decodedTexts, deepest, unsettledBytes } from "./decode.ts";
import type { DecodedText, Source } from "./decoded-text.ts";
import type { Scanner } from "./scanner.ts";

/** What was found in bytes of which more may come. */
export interface Found {
  /** Start, end, start, end …, by rising start. They may overlap. */
  readonly hits: readonly number[];
  /** What begins before is settled: no hit and no escape of what is still to come reaches over this place. */
  readonly settled: number;
}

/** What is looked for: all of several lists. */
export interface Sought {
  readonly scanners: readonly Scanner[];
  readonly cutSecrets: readonly CutSecrets[];
}

interface Look {
  readonly hits: Hit[];
  /** The first place in which a hit may begin that does not end here. */
  readonly settled: number;
  /** The last place up to `at` that is in the middle of no escape, here and deeper. */
  readonly boundary: (at: number) => number;
}

type Hit = readonly [start: number, end: number];

/** Finds secrets as they are, and in what comes out where escapes and lists of bytes are undone, one in another. */
export class SecretFinder {
  readonly #sought: Sought;
  readonly #longest: number;

  constructor(sought: Sought) {
    this.#sought = sought;
    this.#longest = sought.scanners.reduce((longest, { maxLength }) => Math.max(longest, maxLength), 0);
  }

  /** So many bytes of what came last are kept at least. */
  get reach(): number {
    return Math.max(this.#longest, unsettledBytes);
  }

  /** @param isEnd whether nothing follows; then all is settled */
  find(bytes: Buffer, length: number, isEnd: boolean): Found {
    const { hits, settled, boundary } = this.#look({ bytes, length, isEnd, isCut: false }, 0, false);
    return { hits: inOrder(hits), settled: isEnd ? length : boundary(settled) };
  }

  /** The same in a whole text, with what a cut left of a secret. */
  findInText(bytes: Buffer, length: number): readonly number[] {
    return inOrder(this.#look({ bytes, length, isEnd: true, isCut: length >= longText }, 0, true).hits);
  }

  /** Only as they are: for texts that have no escapes. */
  findPlain(bytes: Buffer, length: number): readonly number[] {
    const [only, ...others] = this.#sought.scanners;
    if (only !== undefined && others.length === 0) return only.scan(bytes, length);
    return inOrder(this.#plainHits(bytes, length));
  }

  #look(source: Source, depth: number, isText: boolean): Look {
    const { bytes, length, isEnd, isCut } = source;
    const hits = this.#plainHits(bytes, length);
    if (isText) for (const cutSecrets of this.#sought.cutSecrets) for (const hit of cutSecrets.hitsIn(bytes, length, isCut)) hits.push(hit);
    const inner: Inner[] = [];
    let settled = isEnd ? length : Math.max(0, length - this.reach + 1);
    for (const text of depth < deepest ? decodedTexts(source, this.#longest) : []) {
      const look = this.#look({ bytes: text.bytes, length: text.length, isEnd: !text.isOpen, isCut: text.isCut }, depth + 1, isText);
      for (const [start, end] of look.hits) hits.push([text.sourceStart(start), text.sourceEnd(end)]);
      if (text.isOpen) settled = Math.min(settled, text.sourceStart(look.settled));
      inner.push({ text, look });
    }
    return { hits, settled, boundary: (at) => boundaryIn(inner, at) };
  }

  #plainHits(bytes: Buffer, length: number): Hit[] {
    return this.#sought.scanners.flatMap((scanner) => pairs(scanner.scan(bytes, length)));
  }
}

interface Inner {
  readonly text: DecodedText;
  readonly look: Look;
}

/** A place may be in an escape of one text and in a number of a list: whatever moves it, all are asked again. */
function boundaryIn(inner: readonly Inner[], at: number): number {
  let place = at;
  for (let before = -1; before !== place; ) {
    before = place;
    for (const { text, look } of inner) {
      if (text.start < place && place < text.end) place = Math.min(place, text.sourceStart(look.boundary(text.placeOf(place))));
    }
  }
  return place;
}

function pairs(hits: readonly number[]): Hit[] {
  return hits.flatMap((start, index) => (index % 2 === 0 ? [[start, hits[index + 1] as number] as const] : []));
}

function inOrder(hits: readonly Hit[]): readonly number[] {
  return hits.toSorted(([a], [b]) => a - b).flat();
}
