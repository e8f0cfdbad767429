import { type EncodedForm, encodedForms } from "./encoded-forms.ts";
import { Scanner } from "./scanner.ts";
import { type MaskStyle, mask, masking, type ScrubStream, ScrubWindow, scrubStream } from "./scrub-stream.ts";
import { refusalOf, secretLines } from "./secret-refusal.ts";
import { WeighedCache } from "./weighed-cache.ts";

/** Removes the secrets of one check, in every encoding, from what is about to leave. */
export interface Scrubber {
  readonly scrubText: (text: string) => string;
  /** All texts and keys of a JSON value, at any depth; the value itself when nothing was found. */
  readonly scrubJson: <T>(value: T) => T;
  /** Unknown or binary content: the same length, with `*` for each secret byte. */
  readonly scrubBytes: (bytes: Uint8Array) => Uint8Array;
  readonly stream: (style: MaskStyle) => ScrubStream;
  /** As `stream`, without a copy: `emit` gets views that are valid during the call only. */
  readonly window: (style: MaskStyle, emit: (bytes: Buffer) => void) => ScrubWindow;
  /** Where secrets stand: start, end, start, end …, by rising start. They may overlap. */
  readonly hitsIn: (bytes: Uint8Array) => readonly number[];
  /** Secrets that are not scrubbed, for a warning to their owner: position in the list and reason, never the value. */
  readonly refused: readonly string[];
}

/** Scrubbers hold secrets, and 100 secrets take some MB. */
const compiled = new WeighedCache<Scrubber>({ entries: 256, bytes: 32 * 1024 * 1024 }, (key) => compile(JSON.parse(key) as string[]));

/** Most checks of an account share their secrets, and the forms are most of the work. */
const formsOf = new WeighedCache<readonly EncodedForm[]>({ entries: 1_000, bytes: 8 * 1024 * 1024 }, (line) => {
  const forms = encodedForms(line);
  return { value: forms, bytes: forms.reduce((sum, { bytes }) => sum + bytes.length + bytesPerForm, 0) };
});
const bytesPerForm = 200;

/**
 * A scrubber for these secrets. A secret of several lines counts line by line, less its indentation and PEM armour.
 * Not scrubbed is what `refusalOf` refuses (behaviour 4).
 */
export function createScrubber(secrets: readonly string[]): Scrubber {
  return secrets.length === 0 ? withoutSecrets : compiled.get(JSON.stringify(secrets));
}

const withoutSecrets: Scrubber = {
  scrubText: (text) => text,
  scrubJson: (value) => value,
  scrubBytes: (bytes) => bytes,
  stream: (style) => scrubStream(null, style),
  window: (style, emit) => new ScrubWindow(null, style, emit),
  hitsIn: () => [],
  refused: [],
};

/** One text, scrubbed with the secrets of several: hits of all are found before one is masked. */
export function scrubTextWith(scrubbers: readonly Scrubber[], text: string): string {
  const bytes = Buffer.from(text);
  const hits = scrubbers.flatMap((scrubber) => pairs(scrubber.hitsIn(bytes))).toSorted(([a], [b]) => a - b);
  return hits.length === 0 ? text : Buffer.concat(masking(bytes, bytes.length, hits.flat(), -1, "text").parts).toString();
}

function pairs(hits: readonly number[]): (readonly [number, number])[] {
  return hits.flatMap((start, index) => (index % 2 === 0 ? [[start, hits[index + 1] as number] as const] : []));
}

function compile(secrets: readonly string[]): { value: Scrubber; bytes: number } {
  const refused: string[] = [];
  const lines = new Set<string>();
  for (const [index, secret] of secrets.entries()) {
    const reason = refusalOf(secret);
    if (reason === null) for (const line of secretLines(secret)) lines.add(line);
    else refused.push(`#${index}: ${reason}`);
  }
  if (lines.size === 0) return { value: { ...withoutSecrets, refused }, bytes: 0 };
  const scanner = new Scanner([...lines].flatMap((line) => formsOf.get(line)));
  return { value: { ...scrubbing(scanner, shortestOf(lines)), refused }, bytes: scanner.bytes };
}

/** No form has fewer characters than its secret. */
function shortestOf(lines: ReadonlySet<string>): number {
  return [...lines].reduce((least, { length }) => Math.min(least, length), Number.POSITIVE_INFINITY);
}

function scrubbing(scanner: Scanner, shortest: number): Omit<Scrubber, "refused"> {
  function scrubText(text: string): string {
    if (text.length < shortest) return text;
    const bytes = text.length * 3 <= scratch.length ? scratch : Buffer.from(text);
    const length = bytes === scratch ? scratch.write(text) : bytes.length;
    const hits = scanner.scan(bytes, length);
    return hits.length === 0 ? text : Buffer.concat(masking(bytes, length, hits, -1, "text").parts).toString();
  }

  return {
    scrubText,
    scrubJson: (value) => (holdsSecret(value, scrubText) ? (scrubbedCopy(value, scrubText) as typeof value) : value),
    scrubBytes(bytes) {
      const hits = scanner.scan(bytes, bytes.length);
      return hits.length === 0 ? bytes : Buffer.concat(masking(Buffer.from(bytes), bytes.length, hits, -1, "binary").parts);
    },
    stream: (style) => scrubStream(scanner, style),
    window: (style, emit) => new ScrubWindow(scanner, style, emit),
    hitsIn: (bytes) => scanner.scan(bytes, bytes.length),
  };
}

/** Short texts are encoded here rather than in a buffer of their own. Nothing reads it between two calls. */
const scratch = Buffer.alloc(32_768);

/** A loop, because what a target sent may be nested a million levels deep. */
function holdsSecret(root: unknown, scrubText: (text: string) => string): boolean {
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === "string") {
      if (scrubText(value) !== value) return true;
    } else if (Array.isArray(value)) {
      for (const each of value) pending.push(each);
    } else if (typeof value === "object" && value !== null) {
      for (const key of Object.keys(value)) {
        if (scrubText(key) !== key) return true;
        const each = (value as Readonly<Record<string, unknown>>)[key];
        if (typeof each === "string" || typeof each === "object") pending.push(each);
      }
    }
  }
  return false;
}

function scrubbedCopy(root: unknown, scrubText: (text: string) => string): unknown {
  const pending: { readonly from: object; readonly to: Record<string, unknown> }[] = [];
  const copyOf = (value: unknown): unknown => {
    if (typeof value === "string") return scrubText(value);
    if (typeof value !== "object" || value === null) return value;
    const to = emptyLike(value);
    pending.push({ from: value, to: to as Record<string, unknown> });
    return to;
  };
  const copy = copyOf(root);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const [key, value] of Object.entries(next.from)) setOwn(next.to, scrubText(key), copyOf(value));
  }
  return copy;
}

function emptyLike(value: object): object {
  if (Array.isArray(value)) return [];
  return Object.getPrototypeOf(value) === null ? Object.create(null) : {};
}

/** Defined, not assigned: `__proto__` stays a key like another. Two keys masked alike both stay. */
function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  let free = key;
  while (key.includes(mask) && Object.hasOwn(target, free)) free += "*";
  Object.defineProperty(target, free, { value, writable: true, enumerable: true, configurable: true });
}
