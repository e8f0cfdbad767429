import { BoundedCache } from "../bounded-cache.ts";
import { type EncodedForm, encodedForms } from "./encoded-forms.ts";
import { Scanner } from "./scanner.ts";
import { type MaskStyle, mask, masking, type ScrubStream, scrubStream } from "./scrub-stream.ts";

/** Removes the secrets of one check, in every encoding, from what is about to leave. */
export interface Scrubber {
  readonly scrubText: (text: string) => string;
  /** All texts and keys of a JSON value, at any depth; the value itself when nothing was found. */
  readonly scrubJson: <T>(value: T) => T;
  /** Unknown or binary content: the same length, with `*` for each secret byte. */
  readonly scrubBytes: (bytes: Uint8Array) => Uint8Array;
  readonly stream: (style: MaskStyle) => ScrubStream;
  /** Secrets that are not scrubbed, for a warning to their owner: position in the list and reason, never the value. */
  readonly refused: readonly string[];
}

/** Compiling takes about a millisecond per secret, and the secrets of a check come again with each run. */
const compiled = new BoundedCache<Scrubber>(256, (key) => compile(JSON.parse(key) as string[]));

/**
 * A scrubber for these secrets. A secret of several lines counts line by line, less its indentation and PEM armour.
 * Not scrubbed are values shorter than four characters, `http://`, `https://`, and asterisks (behaviour 4).
 */
export function createScrubber(secrets: readonly string[]): Scrubber {
  return secrets.length === 0 ? withoutSecrets : compiled.get(JSON.stringify(secrets));
}

const withoutSecrets: Scrubber = {
  scrubText: (text) => text,
  scrubJson: (value) => value,
  scrubBytes: (bytes) => bytes,
  stream: (style) => scrubStream(null, style),
  refused: [],
};

function compile(secrets: readonly string[]): Scrubber {
  const refused: string[] = [];
  const lines = new Set<string>();
  for (const [index, secret] of secrets.entries()) {
    const reason = refusal(secret);
    if (reason !== null) refused.push(`#${index}: ${reason}`);
    else for (const line of secret.split(/[\r\n]+/)) if (refusal(line) === null && !/^-----(BEGIN|END) /.test(line)) lines.add(line.trim());
  }
  const forms = [...lines].flatMap(encodedForms);
  return forms.length === 0 ? { ...withoutSecrets, refused } : { ...scrubbing(forms), refused };
}

function refusal(secret: string): string | null {
  const text = secret.trim();
  if (text.length < 4) return "shorter than 4 characters";
  if (text === "http://" || text === "https://") return "the beginning of every URL";
  return /^\*+$/.test(text) ? "only asterisks" : null;
}

function scrubbing(forms: readonly EncodedForm[]): Omit<Scrubber, "refused"> {
  const scanner = new Scanner(forms);
  const shortest = forms.reduce((least, { bytes }) => Math.min(least, bytes.toString().length), Number.POSITIVE_INFINITY);

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
