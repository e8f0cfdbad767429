import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mayBeCutIn } from "#domain/scrub/cut-secrets.ts";
import { encodedForms } from "#domain/scrub/encoded-forms.ts";
import { Scanner } from "#domain/scrub/scanner.ts";
import { type MaskStyle, scrubStream } from "#domain/scrub/scrub-stream.ts";
import { createScrubber } from "#domain/scrub/scrubber.ts";
import { SecretFinder } from "#domain/scrub/secret-finder.ts";
import { refusalOf } from "#domain/scrub/secret-refusal.ts";
import { findSecret } from "../../support/find-secret.ts";

const anyOf = (characters: string): fc.Arbitrary<string> => fc.constantFrom(...Array.from(characters));

const secretText = fc
  .oneof(
    fc.string({ minLength: 8, maxLength: 40, unit: anyOf("ABCxyz019!@#$%^&*()_+-=[]{}|;:,.<>?/~\"\\' ") }),
    fc.string({ minLength: 8, maxLength: 40, unit: anyOf("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") }),
    fc.string({ minLength: 6, maxLength: 20, unit: anyOf("aäöüß日本語😀xyz") }),
  )
  .filter((text) => text.trim() === text && refusalOf(text) === null && text.length >= 6);

/** A URL's query leaves `%41` alone, so it cannot be told any more from an `A`. */
const readableSecret = secretText.filter((text) => !/%[0-9a-f]{2}/i.test(text));

const surroundings = fc.string({ maxLength: 12, unit: anyOf("qwertyuiop {}:,QWERTYUIOP") });

const b64 = (text: string): string => Buffer.from(text).toString("base64");
const html = (text: string): string => text.replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`);
const writers: readonly [string, (text: string) => string][] = [
  ["raw", (text) => text],
  ["base64", b64],
  ["base64url", (text) => Buffer.from(text).toString("base64url")],
  ["encodeURIComponent", encodeURIComponent],
  ["lower-case percent", (text) => encodeURIComponent(text).replace(/%../g, (each) => each.toLowerCase())],
  ["twice percent", (text) => encodeURIComponent(encodeURIComponent(text))],
  ["URLSearchParams", (text) => new URLSearchParams({ a: text }).toString()],
  ["URL query", (text) => new URL(`http://h/?a=${text.replaceAll("#", "%23")}`).search],
  ["JSON", (text) => JSON.stringify({ a: text })],
  ["JSON in JSON", (text) => JSON.stringify(JSON.stringify({ a: text }))],
  ["ASCII JSON", (text) => JSON.stringify(text).replace(/[^\0-\x7e]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`)],
  ["HTML", html],
  ["JSON in HTML", (text) => html(JSON.stringify(text))],
  ["hex", (text) => Buffer.from(text).toString("hex")],
  ["HEX", (text) => Buffer.from(text).toString("hex").toUpperCase()],
  ["base64 of JSON", (text) => b64(JSON.stringify({ a: text }))],
  ["base64 of percent", (text) => b64(encodeURIComponent(text))],
  ["base64 of base64", (text) => b64(b64(text))],
  ["base64 in a URL", (text) => encodeURIComponent(b64(text))],
  ["base64 in lines of 76", (text) => b64(`${"some text ".repeat(6)}${text}`).replace(/.{76}/g, "$&\r\n")],
  ["base64 in lines of 20, in JSON", (text) => JSON.stringify(b64(text).replace(/.{20}/g, "$&\n"))],
];

/** Whatever an attacker could read back: every decoding of the text, and of every base64 run at every offset. */
function decodings(text: string): string[] {
  const joined = text.replace(/(\\r)?\\n|\r?\n/g, "");
  const runs = [...joined.matchAll(/[A-Za-z0-9+/_-]{4,}/g)].map(([run]) => run);
  const once = runs.flatMap((run) => [0, 1, 2, 3].map((offset) => Buffer.from(run.slice(offset), "base64").toString("latin1")));
  const hex = [...joined.matchAll(/[0-9a-f]{8,}/gi)].flatMap(([run]) =>
    [0, 1].map((offset) => Buffer.from(run.slice(offset), "hex").toString("latin1")),
  );
  const percent = joined.replace(/%[0-9a-f]{2}/gi, (each) => String.fromCharCode(Number.parseInt(each.slice(1), 16)));
  return [Buffer.from(joined).toString("latin1"), percent, ...once, ...hex];
}

describe("createScrubber on texts", () => {
  it.each(writers)("masks a secret written as %s, wherever it stands", (_name, write) => {
    fc.assert(
      fc.property(secretText, surroundings, surroundings, (secret, before, after) => {
        const scrubbed = createScrubber([secret]).scrubText(write(before + secret + after));
        expect(scrubbed).toContain("********");
        const canary = Buffer.from(secret).toString("latin1");
        for (const decoded of decodings(scrubbed)) expect(decoded).not.toContain(canary);
      }),
      { numRuns: 60 },
    );
  });

  it("masks every form that it knows, and nothing around it", () => {
    for (const secret of ["Xk29fjw83hd72hs6", "p@ss/w+rd&<x>\"'é", "line \\ tab"]) {
      const scrubber = createScrubber([secret]);
      for (const { name, bytes } of encodedForms(secret)) {
        expect([name, Buffer.from(scrubber.scrubBytes(bytes)).toString()]).toEqual([name, "*".repeat(bytes.length)]);
      }
      for (const { name, bytes } of encodedForms(secret).filter((form) => !/^UTF-16|^Latin-1/.test(form.name))) {
        expect([name, scrubber.scrubText(`<< ${bytes.toString()} >>`)]).toEqual([name, "<< ******** >>"]);
      }
    }
  });

  it.each(["abcd", "4711", "päß1"])("scrubs a secret of four characters: %s", (secret) => {
    expect(createScrubber([secret]).scrubText(`see ${secret}.`)).toBe("see ********.");
  });

  it("finds all hits before it masks one, and masks overlapping and touching ones together", () => {
    const scrubber = createScrubber(["abcdefgh", "efghijkl", "mnopqrst"]);
    expect(scrubber.scrubText("-abcdefghijkl-")).toBe("-********-");
    expect(scrubber.scrubText("-abcdefghmnopqrst-abcdefgh-")).toBe("-********-********-");
  });

  it("counts a secret of several lines line by line, without its armour", () => {
    const scrubber = createScrubber(["-----BEGIN KEY-----\nMIIEvQIBADANBgkq\r\n  hkiG9w0BAQEFAASC\n-----END KEY-----\n"]);
    expect(scrubber.scrubText("hkiG9w0BAQEFAASC|MIIEvQIBADANBgkq|-----BEGIN KEY-----")).toBe("********|********|-----BEGIN KEY-----");
  });

  it("refuses what would mask everything, by position and never by value", () => {
    const { refused, scrubText } = createScrubber(["abc", "https://", "a-real-secret", "/", "********", ""]);
    expect(refused.map((line) => line.slice(0, 2))).toEqual(["#0", "#1", "#3", "#4", "#5"]);
    expect(refused.join()).not.toContain("abc");
    expect(scrubText("abc https:// / **** a-real-secret")).toBe("abc https:// / **** ********");
  });

  it("leaves alone what holds no secret, and is the identity without secrets", () => {
    const text = "nothing to see here ".repeat(50);
    expect(createScrubber(["a-real-secret"]).scrubText(text)).toBe(text);
    const value = { a: "a-real-secret" };
    expect(createScrubber([]).scrubJson(value)).toBe(value);
  });

  it.each([
    ["abc", "shorter than 4 characters"],
    [" ab ", "shorter than 4 characters"],
    ["", "shorter than 4 characters"],
    ["https://", "a word that stands in almost every result"],
    ["TRUE", "a word that stands in almost every result"],
    ["application/json", "a word that stands in almost every result"],
    ["0000", "one character, repeated"],
    ["********", "one character, repeated"],
    ["a\nbc\r\ntrue", "each of its lines is too short or too common"],
    ["abcd", null],
    ["4711", null],
    ["a\nlong enough", null],
    ["-----BEGIN KEY-----", null],
  ])("tells whether it refuses %j", (secret, reason) => {
    expect(refusalOf(secret)).toBe(reason);
    expect(createScrubber([secret]).refused.length).toBe(reason === null ? 0 : 1);
    expect(createScrubber([secret]).scrubText(`<${secret}>`) === `<${secret}>`).toBe(reason !== null);
  });

  it("finds a text that was composed otherwise: é as one letter, and as e with an accent", () => {
    const [composed, decomposed] = ["pässwörd-é".normalize("NFC"), "pässwörd-é".normalize("NFD")];
    for (const secret of [composed, decomposed]) {
      for (const text of [composed, decomposed, b64(composed), encodeURIComponent(decomposed)])
        expect(createScrubber([secret]).scrubText(`<${text}>`)).toMatch(/^<\*{8}[A-Za-z0-9=]{0,3}>$/);
    }
  });

  it.each([
    ["too many", Array.from({ length: 10_000 }, (_, index) => `secret number ${index}`), "10000 lines and 178890 characters"],
    ["too long", [1, 2, 3, 4].map((index) => `secret ${index} `.repeat(3_000)), "4 lines and 107996 characters"],
    [
      "too many lines",
      ["line 1 of a key\n", "line 2 of a key\n"].map((line, at) =>
        Array(1_500)
          .fill(line)
          .map((each, n) => `${n}${at}${each}`)
          .join(""),
      ),
      "3000 lines",
    ],
  ])("refuses secrets that are %s, and tells none of them", (_what, secrets, told) => {
    const refusal = catching(() => createScrubber(secrets));
    expect(refusal).toMatchObject({ code: "too_large", message: expect.stringContaining(told) as unknown });
    expect(String(refusal)).not.toMatch(/secret (number )?\d|line \d/);
  });

  it("masks as one what secrets of two lists have in one place, whatever the list that they are in", () => {
    const lists = fc.tuple(fc.array(secretText, { maxLength: 3 }), fc.array(secretText, { minLength: 1, maxLength: 3 }));
    fc.assert(
      fc.property(lists, surroundings, ([known, more], between) => {
        const text = [...known, ...more, ...more.map(b64), ...known].join(between);
        const apart = createScrubber(known, more);
        const together = createScrubber([...known, ...more]);
        expect(apart.scrubText(text)).toBe(together.scrubText(text));
        expect(apart.scrubBytes(Buffer.from(text))).toEqual(together.scrubBytes(Buffer.from(text)));
        const [one, other] = [apart.stream("text"), together.stream("text")];
        expect(Buffer.concat([one.push(Buffer.from(text)), one.end()])).toEqual(
          Buffer.concat([other.push(Buffer.from(text)), other.end()]),
        );
      }),
      { numRuns: 100 },
    );
    expect(createScrubber(["abcdefgh", "abc"], ["efghijkl", "/"]).scrubText("-abcdefghijkl-")).toBe("-********-");
    expect(createScrubber(["abcdefgh", "abc"], ["efghijkl", "/"]).refused).toHaveLength(2);
  });

  it("goes on after any text as before", () => {
    const scrubber = createScrubber(["a-real-secret", "4711"]);
    for (const text of ["…".repeat(100_000), "a-real-…".repeat(50_000), "4711".repeat(100_000), "\n".repeat(100_000)])
      scrubber.scrubText(text);
    expect(scrubber.scrubText("4711 a-real-secret a-real-s…")).toBe("******** ******** ********…");
  });

  it("compiles the same secrets once", () => {
    expect(createScrubber(["one secret", "two secret"])).toBe(createScrubber(["one secret", "two secret"]));
  });
});

function catching(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

describe("what whoever got hold of it can read (M-01)", () => {
  it.each(writers)("is no secret that was written as %s", (_name, write) => {
    fc.assert(
      fc.property(readableSecret, surroundings, surroundings, (secret, before, after) => {
        const written = write(before + secret + after);
        expect(findSecret(Buffer.from(written), secret)).not.toEqual([]); // the decoder does read it
        expect(findSecret(Buffer.from(createScrubber([secret]).scrubText(written)), secret)).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });

  it.each([
    ["AA\\AAAA%", "ee"],
    ["AA\\AAAA%e", "e"],
    ["a/b?c=d%", "41"],
  ])("is no secret whose end %s and what follows, %s, look like an escape", (secret, after) => {
    for (const written of [JSON.stringify(secret + after), html(JSON.stringify(secret + after))]) {
      expect(findSecret(Buffer.from(written), secret)).not.toEqual([]);
      expect(findSecret(Buffer.from(createScrubber([secret]).scrubText(written)), secret)).toEqual([]);
    }
  });

  it("is no secret in UTF-16, and none in packed bytes that hold a scrubbed text", () => {
    const secret = "p@ss/w+rd&<x>";
    const utf16 = Buffer.from(`<< ${secret} >>`, "utf16le");
    for (const bytes of [utf16, Buffer.from(utf16).swap16()]) {
      expect(findSecret(bytes, secret)).not.toEqual([]);
      expect(findSecret(createScrubber([secret]).scrubBytes(bytes), secret)).toEqual([]);
    }
    expect(findSecret(gzipSync(secret), secret)).toEqual(["gzip > raw"]);
    expect(findSecret(gzipSync(createScrubber([secret]).scrubText(secret)), secret)).toEqual([]);
  });
});

describe("a secret in pieces (M-02)", () => {
  it.each(writers)("is masked when it is written as %s and comes in chunks of 1 to 64 bytes", (_name, write) => {
    const secret = "Xk29/jw+83hd &72hs6";
    const written = Buffer.from(write(`some words before ${secret} and some behind`));
    const whole = createScrubber([secret]).scrubText(written.toString());
    for (let size = 1; size <= 64; size += 1) {
      const stream = createScrubber([secret]).stream("text");
      const out: Buffer[] = [];
      for (let at = 0; at < written.length; at += size) out.push(stream.push(written.subarray(at, at + size)));
      expect([size, Buffer.concat([...out, stream.end()]).toString()]).toEqual([size, whole]);
    }
    expect(findSecret(Buffer.from(whole), secret)).toEqual([]);
  });
});

describe("createScrubber on JSON", () => {
  it("scrubs texts and keys at any depth and keeps everything else", () => {
    const value = { a: ["x-real-secret", 1, null, true], "x-real-secret": { b: "ok" }, c: undefined };
    expect(createScrubber(["x-real-secret"]).scrubJson(value)).toEqual({
      a: ["********", 1, null, true],
      "********": { b: "ok" },
      c: undefined,
    });
    expect(value.a[0]).toBe("x-real-secret");
  });

  it("returns the value itself when nothing is found", () => {
    const value = { a: [{ b: "fine" }] };
    expect(createScrubber(["x-real-secret"]).scrubJson(value)).toBe(value);
  });

  it("keeps objects without a prototype, keys named __proto__, and two keys that are masked alike", () => {
    const scrubber = createScrubber(["first-secret", "other-secret"]);
    const bare: Record<string, string> = Object.assign(Object.create(null) as Record<string, string>, { a: "first-secret" });
    expect(Object.getPrototypeOf(scrubber.scrubJson(bare))).toBeNull();
    const copy = scrubber.scrubJson(JSON.parse('{"__proto__": "first-secret"}') as object);
    expect(Object.getOwnPropertyDescriptor(copy, "__proto__")?.value).toBe("********");
    expect(({} as Record<string, unknown>)["first"]).toBeUndefined();
    expect(Object.keys(scrubber.scrubJson({ "first-secret": 1, "other-secret": 2 }))).toHaveLength(2);
  });

  it("does not overflow on a million levels", () => {
    let value: unknown = "first-secret";
    for (let level = 0; level < 1_000_000; level += 1) value = [value];
    let inner = createScrubber(["first-secret"]).scrubJson(value);
    while (Array.isArray(inner)) inner = inner[0];
    expect(inner).toBe("********");
  });

  it("leaves no secret in any JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), secretText, (value, secret) => {
        const tree = { value, [secret]: [secret, `${secret}${secret}`, JSON.stringify({ secret })] };
        expect(JSON.stringify(createScrubber([secret]).scrubJson(tree))).not.toContain(JSON.stringify(secret).slice(1, -1));
      }),
      { numRuns: 100 },
    );
  });
});

describe("a scrub stream", () => {
  const secrets = ["Xk29fjw83hd72hs6", "hs6-and-more", "abaaabaa", '"q%41 \\u\\\\&\u00e9'];
  const everyEscaped = (text: string): string => text.replace(/[^]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const escapings: readonly ((text: string) => string)[] = [
    (text) => JSON.stringify(JSON.stringify(text)),
    (text) => encodeURIComponent(html(JSON.stringify(text))),
    everyEscaped,
    (text) => html(everyEscaped(text)).replace(/[^]/g, (each) => `%${each.charCodeAt(0).toString(16)}`),
    (text) => `[${Array.from(Buffer.from(text)).join(", ")}]`,
    (text) => JSON.stringify(JSON.stringify(Buffer.from(text), null, 2)),
  ];
  const pieces = fc
    .array(
      fc.oneof(
        fc.constantFrom(...secrets, ...secrets.map(b64), "Xk29fjw83hd72hs", "aaaa", b64(`pad${secrets[0]}`).replace(/.{7}/g, "$&\n")),
        fc.constantFrom(...secrets.flatMap((secret) => escapings.map((escape) => escape(secret)))),
        fc.constantFrom(
          "\\",
          "\\\\",
          "%",
          "%2",
          "%25",
          "&amp;",
          "&#3",
          "9;",
          "\\u",
          "\\u00",
          "41",
          "\\ud83d",
          "\\x6",
          "9,",
          " 97, 98, ",
          "1,2,3,",
        ),
        fc.string({ maxLength: 6 }),
      ),
      { maxLength: 20 },
    )
    .map((parts) => Buffer.from(parts.join("")));

  it.each(["text", "binary"] as MaskStyle[])("gives the same %s whatever the chunks", (style) => {
    const scrubber = createScrubber(secrets);
    fc.assert(
      fc.property(pieces, fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }), (input, sizes) => {
        const whole = scrubbedIn(scrubber.stream(style), input, [input.length + 1]);
        expect(scrubbedIn(scrubber.stream(style), input, [1])).toBe(whole);
        expect(scrubbedIn(scrubber.stream(style), input, sizes)).toBe(whole);
        if (mayBeCutIn(input.toString())) return; // at once it also loses what a cut left of a secret, which a stream cannot know
        const atOnce = style === "text" ? Buffer.from(scrubber.scrubText(input.toString())) : Buffer.from(scrubber.scrubBytes(input));
        expect(atOnce.toString("latin1")).toBe(whole);
      }),
      { numRuns: 300 },
    );
  });

  it("masks each form, up to the longest, when it comes byte by byte", () => {
    const secret = "p@ss/w+rd&<x>";
    const scrubber = createScrubber([secret]);
    for (const { name, bytes } of encodedForms(secret)) {
      const input = Buffer.concat([Buffer.from("<< "), bytes, Buffer.from(" and what comes after it ".repeat(20))]);
      const out = scrubbedIn(scrubber.stream("binary"), input, [1]);
      expect([name, out.slice(3, 3 + bytes.length)]).toEqual([name, "*".repeat(bytes.length)]);
    }
  });

  it("masks folded base64 at its longest when it comes byte by byte", () => {
    const core = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9w".repeat(3);
    const scanner = new Scanner([{ name: "core", bytes: Buffer.from(core), foldable: true }]);
    const finder = new SecretFinder({ scanners: [scanner], cutSecrets: [] });
    const folded = core.replace(/.{28}(?=.)/g, "$&\\r\\n");
    expect(scrubbedIn(scrubStream(finder, "text"), Buffer.from(`-${folded}-${"after ".repeat(60)}`), [1])).toMatch(/^-\*{8}-after/);
  });

  it("keeps the length of binary content", () => {
    fc.assert(
      fc.property(pieces, (input) => {
        expect(createScrubber(secrets).scrubBytes(input)).toHaveLength(input.length);
      }),
    );
  });

  it("passes bytes on while they come, holding back only what a hit may begin in", () => {
    const stream = createScrubber(["Xk29fjw83hd72hs6"]).stream("text");
    expect(stream.push(Buffer.alloc(100_000, 0x71)).length).toBeGreaterThan(99_000);
  });

  function scrubbedIn(stream: ReturnType<ReturnType<typeof createScrubber>["stream"]>, input: Buffer, sizes: readonly number[]): string {
    const out: Buffer[] = [];
    for (let at = 0, turn = 0; at < input.length; turn += 1) {
      const size = sizes[turn % sizes.length] ?? 1;
      out.push(stream.push(input.subarray(at, at + size)));
      at += size;
    }
    return Buffer.concat([...out, stream.end()]).toString("latin1");
  }
});
