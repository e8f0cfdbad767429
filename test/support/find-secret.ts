import { createHash } from "node:crypto";
import { constants, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from "node:zlib";

/** One way to read bytes: what they may mean, as further bytes. It decodes, and knows nothing of how secrets are encoded to be looked for. */
type Reading = readonly [name: string, read: (latin1: string, bytes: Buffer, seen: Seen) => readonly Buffer[]];

/** What one search has read: most of what a reading changes is as it was, and is not read again. */
interface Seen {
  /** Hashes of whole contents. */
  readonly contents: Set<string>;
  readonly base64Runs: Set<string>;
  readonly hexadecimalRuns: Set<string>;
}

const defaultDepth = 4;
const unpackLimit = 256 * 1024 * 1024;

/** A secret that was found, and how to read it, such as `base64 > gzip > raw`. */
export interface FoundSecret {
  readonly secret: string;
  readonly path: string;
}

/** Secrets that begin alike are looked for together, bytes. */
const sharedBytes = 4;

/** How the text of a secret may stand in bytes, when all else is decoded. */
const writings = ["raw", "UTF-16 LE", "UTF-16 BE"] as const;

/**
 * Looks for a secret as whoever got hold of the bytes would: reads them as every encoding there is, what comes out again, and so on.
 * Slow and thorough; for tests.
 *
 * @returns how to read the secret; empty when it is not there
 */
export function findSecret(bytes: Uint8Array, secret: string, depth = defaultDepth): string[] {
  return findSecrets(bytes, [secret], depth).map(({ path }) => path);
}

/** The same for many, for little more than the price of one. */
export function findSecrets(bytes: Uint8Array, secrets: readonly string[], depth = defaultDepth): FoundSecret[] {
  const needles = secrets.flatMap((secret) => {
    const utf16 = Buffer.from(secret, "utf16le");
    const written = [Buffer.from(secret), utf16, Buffer.from(utf16).swap16()];
    return written.map((needle, index) => ({ secret, needle, writing: writings[index] as string }));
  });
  const groups = [...Map.groupBy(needles, ({ needle }) => needle.toString("latin1", 0, sharedBytes))].map(([start, alike]) => ({
    start: Buffer.from(start, "latin1"),
    alike,
  }));
  const anyStart = new RegExp(groups.map(({ start }) => escapedBytes(start)).join("|"));
  const found: FoundSecret[] = [];
  const seen: Seen = { contents: new Set(), base64Runs: new Set(), hexadecimalRuns: new Set() };
  let layer: { readonly path: string; readonly bytes: Buffer }[] = [{ path: "", bytes: Buffer.from(bytes) }];
  for (let level = 0; level <= depth && layer.length > 0; level += 1) {
    const next: typeof layer = [];
    for (const { path, bytes: content } of layer) {
      const latin1 = content.toString("latin1");
      const near = anyStart.test(latin1) ? groups.filter(({ start }) => content.includes(start)).flatMap(({ alike }) => alike) : [];
      for (const { secret, needle, writing } of near) if (content.includes(needle)) found.push({ secret, path: path + writing });
      if (level < depth)
        next.push(...decoded(content, latin1, seen).map(({ name, bytes: inner }) => ({ path: `${path}${name} > `, bytes: inner })));
    }
    layer = next;
  }
  return found;
}

function escapedBytes(bytes: Buffer): string {
  return bytes.toString("hex").replace(/../g, "\\x$&");
}

function decoded(bytes: Buffer, latin1: string, seen: Seen): { name: string; bytes: Buffer }[] {
  return readings.flatMap(([name, read]) =>
    read(latin1, bytes, seen).flatMap((inner) => {
      if (inner.length < 4 || inner.equals(bytes)) return [];
      const key = createHash("sha1").update(inner).digest("latin1");
      if (seen.contents.has(key)) return [];
      seen.contents.add(key);
      return [{ name, bytes: inner }];
    }),
  );
}

const byteOf = (digits: string): string => String.fromCharCode(Number.parseInt(digits, 16));
const utf8Of = (codePoint: number): string => Buffer.from(String.fromCodePoint(Math.min(codePoint, 0x10ffff))).toString("latin1");
const oneLetter: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };
const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const replaced = (latin1: string, pattern: RegExp, by: (match: string, ...groups: string[]) => string): Buffer[] => {
  const out = latin1.replace(pattern, by);
  return out === latin1 ? [] : [Buffer.from(out, "latin1")];
};

/** A letter outside the basic plane is two escapes. */
function unescapedUnits(match: string): string {
  const units = [...match.matchAll(/u([0-9a-f]{4})/gi)].map(([, digits]) => Number.parseInt(digits as string, 16));
  return Buffer.from(String.fromCharCode(...units)).toString("latin1");
}

const readings: readonly Reading[] = [
  ["base64", (text, _, seen) => base64Runs(text, seen.base64Runs)],
  ["hexadecimal", (text, _, seen) => hexadecimalRuns(text, seen.hexadecimalRuns)],
  ["percent", (text) => replaced(text, /%([0-9a-f]{2})/gi, (_, digits) => byteOf(digits as string))],
  ["form", (text) => formRuns(text)],
  ["\\x", (text) => replaced(text, /\\+x([0-9a-f]{2})/gi, (_, digits) => byteOf(digits as string))],
  ["\\u", (text) => replaced(text, /(?:\\+u[0-9a-f]{4})+/gi, unescapedUnits)],
  ["JSON", (text) => replaced(text, /\\([\\/"'nrtbf])/g, (_, letter) => oneLetter[letter as string] ?? (letter as string))],
  ["HTML", (text) => replaced(text, /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi, entityOf)],
  ["quoted-printable", (text) => replaced(text.replace(/=\r?\n/g, ""), /=([0-9A-F]{2})/g, (_, digits) => byteOf(digits as string))],
  ["gzip", (text, bytes) => at(text, "\x1f\x8b\x08", (from) => gunzipSync(bytes.subarray(from), lenient))],
  [
    "zlib",
    (text, bytes) =>
      ["\x78\x01", "\x78\x9c", "\x78\xda"].flatMap((magic) => at(text, magic, (from) => inflateSync(bytes.subarray(from), lenient))),
  ],
  ["zstd", (text, bytes) => at(text, "\x28\xb5\x2f\xfd", (from) => zstdDecompressSync(bytes.subarray(from)))],
  ["zip", (text, bytes) => at(text, "PK\x03\x04", (from) => memberAt(bytes.subarray(from)))],
];

const lenient = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: unpackLimit };

function entityOf(_match: string, decimal?: string, hexadecimal?: string, name?: string): string {
  if (decimal !== undefined) return utf8Of(Number(decimal));
  return hexadecimal === undefined ? (entities[(name ?? "").toLowerCase()] ?? "") : utf8Of(Number.parseInt(hexadecimal, 16));
}

/** What has a space and something else of a form's encoding. */
function formRuns(text: string): Buffer[] {
  const runs = text.match(/[^\s"<>]+/g)?.filter((run) => run.includes("+") && /%[0-9a-f]{2}/i.test(run)) ?? [];
  return replaced(runs.join("\n").replaceAll("+", " "), /%([0-9a-f]{2})/gi, (_, digits) => byteOf(digits as string));
}

/** Every run of the alphabet, over line breaks and over what JSON and URLs make of its characters, read at each of the four places. */
function base64Runs(text: string, seen: Set<string>): Buffer[] {
  const plain = text
    .replace(/(?:\\r)?\\n|\r?\n[ \t]*/g, "")
    .replaceAll("\\/", "/")
    .replace(/%2B/gi, "+")
    .replace(/%2F/gi, "/")
    .replace(/%0D|%0A/gi, "");
  const variants = plain === text ? [text] : [text, plain];
  return variants.flatMap((variant) => {
    const runs = unseen(variant.match(/[A-Za-z0-9+/_-]{6,}/g), seen);
    return [0, 1, 2, 3].map((offset) => Buffer.from(runs.map((run) => wholeGroups(run, offset)).join(""), "base64"));
  });
}

function unseen(runs: readonly string[] | null, seen: Set<string>): string[] {
  const fresh = new Set(runs).difference(seen);
  for (const run of fresh) seen.add(run);
  return [...fresh];
}

/** From there on, filled up to groups of four characters and one more, so that zeros end what it says. */
function wholeGroups(run: string, offset: number): string {
  return run.slice(offset) + "AAAAAAA".slice((run.length - offset + 3) % 4);
}

function hexadecimalRuns(text: string, seen: Set<string>): Buffer[] {
  const runs = unseen(text.match(/(?:[0-9a-f]{2}[ :]?){4,}|[0-9a-f]{9,}/gi), seen).map((run) => run.replace(/[ :]/g, ""));
  return [0, 1].map((offset) => Buffer.from(runs.map((run) => wholeBytes(run, offset)).join(""), "hex"));
}

/** From there on, filled up to whole bytes and a zero. */
function wholeBytes(run: string, offset: number): string {
  return `${run.slice(offset)}${(run.length - offset) % 2 === 0 ? "" : "0"}00`;
}

/** What is unpacked from each place where the magic bytes stand, for as far as it goes. */
function at(text: string, magic: string, unpack: (from: number) => Buffer): Buffer[] {
  const out: Buffer[] = [];
  for (let from = text.indexOf(magic); from !== -1; from = text.indexOf(magic, from + 1)) {
    try {
      out.push(unpack(from));
    } catch {
      // these bytes stood there by chance
    }
  }
  return out;
}

/** By the local header alone, whatever a directory says. */
function memberAt(bytes: Buffer): Buffer {
  const from = 30 + bytes.readUInt16LE(26) + bytes.readUInt16LE(28);
  return bytes.readUInt16LE(8) === 0 ? bytes.subarray(from) : inflateRawSync(bytes.subarray(from), lenient);
}
