import { AppError } from "../app-error.ts";
import { CutSecrets, mayBeCutIn } from "./cut-secrets.ts";
import { mayHaveEscapes } from "./decode.ts";
import { type EncodedForm, encodedForms } from "./encoded-forms.ts";
import { Scanner } from "./scanner.ts";
import { type MaskStyle, mask, masking, type ScrubStream, ScrubWindow, scrubStream } from "./scrub-stream.ts";
import { SecretFinder } from "./secret-finder.ts";
import { refusalOf, secretLines } from "./secret-refusal.ts";
import { WeighedCache } from "./weighed-cache.ts";

/** Removes the secrets of one check, in every encoding, from what is about to leave. */
export interface Scrubber {
  /** Also what a cut left of a secret, see `CutSecrets`. */
  readonly scrubText: (text: string) => string;
  /** All texts and keys of a JSON value, at any depth; the value itself when nothing was found. */
  readonly scrubJson: <T>(value: T) => T;
  /** Unknown or binary content: the same length, with `*` for each secret byte. */
  readonly scrubBytes: (bytes: Uint8Array) => Uint8Array;
  readonly stream: (style: MaskStyle) => ScrubStream;
  /** As `stream`, without a copy: `emit` gets views that are valid during the call only. */
  readonly window: (style: MaskStyle, emit: (bytes: Buffer) => void) => ScrubWindow;
  /** Whether any secret stands there. */
  readonly finds: (bytes: Uint8Array) => boolean;
  /** Secrets that are not scrubbed, for a warning to their owner: position in the list and reason, never the value. */
  readonly refused: readonly string[];
}

/** What is compiled of one list of secrets. */
interface Compiled {
  readonly scrubber: Scrubber;
  readonly parts: readonly Part[];
}

interface Part {
  readonly scanner: Scanner;
  readonly cutSecrets: CutSecrets;
  /** No form has fewer characters. */
  readonly shortest: number;
}

/** Compiling takes 0.3 ms a line, and 10 KB of memory. */
const limits = { lines: 2_000, characters: 100_000 } as const;

/** Scrubbers hold secrets, and 100 secrets take a MB. */
const compiled = new WeighedCache<Compiled>({ entries: 256, bytes: 32 * 1024 * 1024 }, (key) => compile(JSON.parse(key) as string[]));

/** Most checks of an account share their secrets, and the forms are most of the work. */
const formsOf = new WeighedCache<readonly EncodedForm[]>({ entries: 1_000, bytes: 8 * 1024 * 1024 }, (line) => {
  const forms = encodedForms(line);
  return { value: forms, bytes: forms.reduce((sum, { bytes }) => sum + bytes.length + bytesPerForm, 0) };
});
const bytesPerForm = 200;
const bytesPerCharacter = 3; // at most: a letter outside the basic plane counts as two

/**
 * A scrubber for these secrets. A secret of several lines counts line by line, less its indentation and PEM armour.
 * Not scrubbed is what `refusalOf` refuses (behaviour 4).
 *
 * @param more secrets that come and go, such as the token of one run: the others are not compiled again because of them
 * @throws {AppError} too_large
 */
export function createScrubber(secrets: readonly string[], more: readonly string[] = []): Scrubber {
  const lists = [secrets, more].filter(({ length }) => length > 0).map((list) => compiled.get(JSON.stringify(list)));
  if (lists.length <= 1) return lists[0]?.scrubber ?? withoutSecrets;
  return scrubbing(
    lists.flatMap(({ parts }) => parts),
    lists.flatMap(({ scrubber }) => scrubber.refused),
  );
}

const withoutSecrets: Scrubber = {
  scrubText: (text) => text,
  scrubJson: (value) => value,
  scrubBytes: (bytes) => bytes,
  stream: (style) => scrubStream(null, style),
  window: (style, emit) => new ScrubWindow(null, style, emit),
  finds: () => false,
  refused: [],
};

function compile(secrets: readonly string[]): { value: Compiled; bytes: number } {
  const refused: string[] = [];
  const lines = new Set<string>();
  for (const [index, secret] of secrets.entries()) {
    const reason = refusalOf(secret);
    if (reason === null) for (const line of secretLines(secret)) for (const each of withoutBegunEscape(line)) addWays(lines, each);
    else refused.push(`#${index}: ${reason}`);
  }
  expectWithinLimits([...lines]);
  const parts = lines.size === 0 ? [] : [partOf([...lines])];
  const bytes = parts.reduce((sum, { scanner, cutSecrets }) => sum + scanner.bytes + cutSecrets.bytes, 0);
  return { value: { scrubber: scrubbing(parts, refused), parts }, bytes };
}

/** `…%` before `ee` reads as an escape, where others are undone: then all but the last character or two is found. */
function withoutBegunEscape(line: string): string[] {
  const rest = line.replace(/(?:%[0-9a-f]?|\\)$/i, "");
  return rest === line || refusalOf(rest) !== null ? [line] : [line, rest];
}

/** A letter with an accent is one character or two, and some programs make one of the other. */
function addWays(lines: Set<string>, line: string): void {
  lines.add(line);
  for (const form of ["NFC", "NFD"]) {
    const same = line.normalize(form);
    if (refusalOf(same) === null) lines.add(same);
  }
}

function expectWithinLimits(lines: readonly string[]): void {
  const characters = lines.reduce((sum, { length }) => sum + length, 0);
  if (lines.length <= limits.lines && characters <= limits.characters) return;
  throw new AppError(
    "too_large",
    `the secrets to be masked have ${lines.length} lines and ${characters} characters; at most ${limits.lines} lines and ${limits.characters} characters are looked for`,
  );
}

function partOf(lines: readonly string[]): Part {
  const forms = lines.flatMap((line) => formsOf.get(line));
  const shortest = forms.reduce((least, { bytes }) => Math.min(least, bytes.length), Number.POSITIVE_INFINITY) / bytesPerCharacter;
  return { scanner: new Scanner(forms), cutSecrets: new CutSecrets(forms), shortest };
}

function scrubbing(parts: readonly Part[], refused: readonly string[]): Scrubber {
  if (parts.length === 0) return { ...withoutSecrets, refused };
  const finder = new SecretFinder({
    scanners: parts.map(({ scanner }) => scanner),
    cutSecrets: parts.map(({ cutSecrets }) => cutSecrets),
  });
  const shortest = parts.reduce((least, part) => Math.min(least, part.shortest), Number.POSITIVE_INFINITY);

  function scrubText(text: string): string {
    const mayBeCut = mayBeCutIn(text);
    if (text.length < shortest && !mayBeCut) return text;
    const bytes = text.length * 3 <= scratch.length ? scratch : Buffer.from(text);
    const length = bytes === scratch ? scratch.write(text) : bytes.length;
    const hits = mayBeCut || mayHaveEscapes(text) ? finder.findInText(bytes, length) : finder.findPlain(bytes, length);
    return hits.length === 0 ? text : Buffer.concat(masking(bytes, length, hits, -1, "text").parts).toString();
  }

  return {
    scrubText,
    scrubJson: (value) => (holdsSecret(value, scrubText) ? (scrubbedCopy(value, scrubText) as typeof value) : value),
    scrubBytes(bytes) {
      const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
      const hits = finder.findInText(whole, whole.length);
      return hits.length === 0 ? bytes : Buffer.concat(masking(whole, whole.length, hits, -1, "binary").parts);
    },
    stream: (style) => scrubStream(finder, style),
    window: (style, emit) => new ScrubWindow(finder, style, emit),
    finds: (bytes) => finder.find(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), bytes.length, true).hits.length > 0,
    refused,
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
