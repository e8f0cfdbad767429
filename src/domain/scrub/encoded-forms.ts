import { readings } from "./decode.ts";
import { refusalOf } from "./secret-refusal.ts";

/** One way in which a secret may leave: the bytes to look for. */
export interface EncodedForm {
  readonly name: string;
  readonly bytes: Buffer;
  /** Base64: line breaks may stand anywhere inside. */
  readonly foldable: boolean;
}

/** Shorter bytes would be found everywhere. */
const minBytes = 4;

/**
 * The forms of one single-line secret of at least four characters that no decoding undoes: raw, base64 and base64url at the three alignments, base64
 * of the encoded value, hexadecimal, bytes as numbers, Latin-1, UTF-16. Escapes of JSON, HTML and URLs, and lists of numbers with commas, are
 * undone before these are looked for, see `SecretFinder`. Base64 forms are the characters that the secret alone determines: the up to two
 * at each end that neighbours share are not in them.
 */
export function encodedForms(secret: string): EncodedForm[] {
  const forms = new Forms();
  const raw = Buffer.from(secret);
  forms.add("raw", secret);
  forms.add("form encoding", secret.replaceAll(" ", "+")); // its other escapes are undone, but `+` may be a plus
  if (secret.endsWith("\\")) forms.add("less its last backslash", secret.replace(/\\+$/, "")); // with what follows, it may be read as an escape
  for (const reading of readings(raw)) if (isWorthMasking(reading)) forms.addBytes("what it reads as", reading);
  addByteForms(forms, raw);
  addBase64Forms(forms, "base64", raw, true);
  for (const json of jsonOf(secret)) addBase64Forms(forms, "base64 of JSON", Buffer.from(json), false);
  addBase64Forms(forms, "base64 of URL encoding", Buffer.from(encodeURIComponent(secret.toWellFormed())), false);
  for (const inner of base64Cores(raw)) addBase64Forms(forms, "base64 of base64", Buffer.from(inner), false);
  if (/^[\0-\xff]*[\x80-\xff][\0-\xff]*$/.test(secret)) forms.addBytes("Latin-1", Buffer.from(secret, "latin1"));
  const utf16 = Buffer.from(secret, "utf16le");
  forms.addBytes("UTF-16 LE", utf16);
  forms.addBytes("UTF-16 BE", Buffer.from(utf16).swap16());
  return forms.list;
}

/** Each text once, under the first name that it came by. */
class Forms {
  readonly list: EncodedForm[] = [];
  readonly #seen = new Set<string>();

  add(name: string, form: string, foldable = false): void {
    this.addBytes(name, Buffer.from(form), foldable);
  }

  addBytes(name: string, bytes: Buffer, foldable = false): void {
    const key = bytes.toString("latin1");
    if (bytes.length < minBytes || this.#seen.has(key)) return;
    this.#seen.add(key);
    this.list.push({ name, bytes, foldable });
  }
}

/** The line breaks in it are none of a secret of several lines. */
function isWorthMasking(reading: Buffer): boolean {
  return refusalOf(reading.toString().replace(/[\r\n]/g, " ")) === null;
}

/** What stands between bytes in hexadecimal: nothing; as `<Buffer 61 62>`, fingerprints and .NET write them; as C does. */
const betweenBytes = ["", " ", ":", "-", " 0x"];

function addByteForms(forms: Forms, raw: Buffer): void {
  const lower = Array.from(raw, (byte) => byte.toString(16).padStart(2, "0"));
  for (const digits of [lower, lower.map((byte) => byte.toUpperCase())]) {
    for (const between of betweenBytes) forms.add(`hexadecimal with "${between}"`, digits.join(between));
  }
  forms.add("decimal", Array.from(raw).join(" ")); // as Go writes bytes
}

/** As most write it, as Go, PHP and Python do. */
function jsonOf(secret: string): readonly string[] {
  const plain = JSON.stringify(secret).slice(1, -1);
  const escaped = (which: RegExp): string => plain.replace(which, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return [plain, escaped(/[<>&\u2028\u2029]/g), escaped(/[^\0-\x7e]/g).replaceAll("/", "\\/"), escaped(/[^\0-\x7e]/g)];
}

function addBase64Forms(forms: Forms, name: string, bytes: Buffer, foldable: boolean): void {
  for (const [alignment, core] of base64Cores(bytes).entries()) {
    forms.add(`${name} at ${alignment}`, core, foldable);
    forms.add(`${name} at ${alignment}, URL alphabet`, core.replaceAll("+", "-").replaceAll("/", "_"));
  }
}

/** The base64 characters that the bytes alone determine, when 0, 1 or 2 bytes stand before them in their group of three. */
function base64Cores(bytes: Buffer): string[] {
  return [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
}
