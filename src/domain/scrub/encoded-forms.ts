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
 * Every form of one single-line secret of at least four characters: raw, base64 and base64url at the three
 * alignments, percent- and form-encoding (strict, lax, double, both cases), JSON, HTML, hexadecimal, UTF-16, and base64
 * of the encoded value. Base64 forms are the characters that the secret alone determines: the up to two at each end
 * that neighbours share are not in them.
 */
export function encodedForms(secret: string): EncodedForm[] {
  const forms = new Forms();
  const raw = Buffer.from(secret);
  forms.add("raw", secret);
  addUrlForms(forms, secret);
  addJsonForms(forms, secret);
  addHtmlForms(forms, secret);
  addHexForms(forms, raw.toString("hex"));
  addBase64Forms(forms, "base64", raw, true);
  addBase64Forms(forms, "base64 of JSON", Buffer.from(json(secret)), false);
  addBase64Forms(forms, "base64 of URL encoding", Buffer.from(encodeURIComponent(secret.toWellFormed())), false);
  for (const inner of base64Cores(raw)) addBase64Forms(forms, "base64 of base64", Buffer.from(inner), false);
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
    if (this.#seen.has(form)) return;
    this.#seen.add(form);
    this.addBytes(name, Buffer.from(form), foldable);
  }

  addBytes(name: string, bytes: Buffer, foldable = false): void {
    if (bytes.length >= minBytes) this.list.push({ name, bytes, foldable });
  }

  /** Also with lower-case hexadecimal digits in its escapes; `form` has upper-case ones. */
  addBothCases(name: string, form: string, escapes: RegExp): void {
    this.add(name, form);
    this.add(
      `${name}, lower case`,
      form.replace(escapes, (escape) => escape.toLowerCase()),
    );
  }
}

const percentEscape = /%[0-9A-F]{2}/g;
const unicodeEscape = /\\u[0-9A-F]{4}/g;

/** What each byte becomes, for a writer that leaves these ASCII characters alone. */
function writerLeaving(kept: RegExp): readonly string[] {
  return Array.from({ length: 256 }, (_, byte) => {
    const character = String.fromCharCode(byte);
    return byte < 0x80 && kept.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  });
}

const uriComponent = /[A-Za-z0-9\-_.!~*'()]/;
const writtenInUriComponent = writerLeaving(uriComponent);

/** Writers of URLs, and the ASCII characters that each of them leaves alone. */
const urlWriters = (
  [
    ["encodeURIComponent", uriComponent],
    ["RFC 3986", /[A-Za-z0-9\-_.~]/],
    ["encodeURI", /[A-Za-z0-9\-_.!~*'();,/?:@&=+$#]/],
    ["URL user and password", /[A-Za-z0-9\-_.!~*'()!$%&+,]/],
    ["URL path", /[^\0-\x20"#<>?^`{}\x7f]/],
    ["URL query", /[^\0-\x20"#'<>\x7f]/],
  ] as const
).map(([name, kept]) => [name, writerLeaving(kept)] as const);

function addUrlForms(forms: Forms, secret: string): void {
  const bytes = Buffer.from(secret);
  for (const [name, written] of urlWriters) forms.addBothCases(name, percentEncoded(bytes, written), percentEscape);
  const form = new URLSearchParams({ v: secret }).toString().slice(2);
  forms.addBothCases("form encoding", form, percentEscape);
  for (const once of [percentEncoded(bytes, writtenInUriComponent), form]) {
    forms.addBothCases("double URL encoding", percentEncoded(Buffer.from(once), writtenInUriComponent), /%25[0-9A-F]{2}|%[0-9A-F]{2}/g);
  }
  forms.addBothCases("JSON in URL encoding", percentEncoded(Buffer.from(json(secret)), writtenInUriComponent), percentEscape);
}

function addJsonForms(forms: Forms, secret: string): void {
  const plain = json(secret);
  const ascii = plain.replace(/[^\0-\x7e]/g, unicodeEscaped);
  const html = plain.replace(/[<>&'+=]/g, unicodeEscaped);
  const slashes = plain.replaceAll("/", "\\/");
  for (const [name, form] of Object.entries({ plain, ascii, html, slashes })) {
    forms.addBothCases(`JSON (${name})`, form, unicodeEscape);
    forms.addBothCases(`JSON in JSON (${name})`, json(form), unicodeEscape);
  }
  forms.addBothCases("JSON, all escaped", secret.replace(/[^]/g, unicodeEscaped), unicodeEscape);
}

function addHtmlForms(forms: Forms, secret: string): void {
  const named = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  const byCharacter = (encode: (character: string) => string, text: string, which: RegExp): string => text.replace(which, encode);
  const decimal = (character: string): string => `&#${character.codePointAt(0)};`;
  const hexadecimal = (character: string): string => `&#x${character.codePointAt(0)?.toString(16).toUpperCase()};`;
  for (const text of new Set([secret, json(secret)])) {
    for (const apostrophe of ["&#39;", "&#x27;", "&apos;", "&#039;", "'"]) {
      forms.add(
        "HTML named",
        byCharacter((each) => (named as Record<string, string>)[each] ?? apostrophe, text, /[&<>"']/g),
      );
    }
    for (const [name, encode] of [
      ["decimal", decimal],
      ["hexadecimal", hexadecimal],
    ] as const) {
      for (const which of [/[&<>"']/g, /[^\0-\x7e]|[&<>"']/gu, /[^A-Za-z0-9]/gu, /[^]/gu]) {
        forms.addBothCases(`HTML ${name}`, byCharacter(encode, text, which), /&#x[0-9A-F]+;/g);
      }
    }
  }
}

function addHexForms(forms: Forms, hex: string): void {
  for (const digits of [hex, hex.toUpperCase()]) {
    forms.add("hexadecimal", digits);
    for (const prefix of ["%", "\\x", "\\\\x"])
      forms.add(
        `${prefix} per byte`,
        digits.replace(/../g, (byte) => prefix + byte),
      );
  }
}

function addBase64Forms(forms: Forms, name: string, bytes: Buffer, foldable: boolean): void {
  for (const [alignment, core] of base64Cores(bytes).entries()) {
    const tag = `${name} at ${alignment}`;
    forms.add(tag, core, foldable);
    forms.add(`${tag}, URL alphabet`, core.replaceAll("+", "-").replaceAll("/", "_"));
    forms.add(`${tag}, JSON`, core.replaceAll("/", "\\/"));
    forms.addBothCases(`${tag}, URL encoded`, encodeURIComponent(core), percentEscape);
  }
}

/** The base64 characters that the bytes alone determine, when 0, 1 or 2 bytes stand before them in their group of three. */
function base64Cores(bytes: Buffer): string[] {
  return [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
}

function percentEncoded(bytes: Buffer, written: readonly string[]): string {
  let text = "";
  for (const byte of bytes) text += written[byte] as string;
  return text;
}

function json(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function unicodeEscaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}
