import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createScrubber } from "#domain/scrub/scrubber.ts";
import { refusalOf } from "#domain/scrub/secret-refusal.ts";
import { type Encoder, encoders } from "../../support/encoders/encoders.ts";

const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(0x20 + index));
const letters = fc.constantFrom(...Array.from("äöüßé€—日本😀"));
/** What encodings change, and what looks like an encoding. */
const meant = fc.constantFrom(...Array.from("\"'&<>+/\\%=`; "), "\\n", "%41", "&lt;", "\\u0041", "%%");
const secretText = fc
  .array(
    fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...printable) }, { weight: 2, arbitrary: letters }, { weight: 4, arbitrary: meant }),
    {
      minLength: 6,
      maxLength: 30,
    },
  )
  .map((parts) => parts.join(""))
  .filter((text) => text.trim() === text && text.length >= 8 && refusalOf(text) === null);
const surroundings = fc.string({ maxLength: 10, unit: fc.constantFrom(...Array.from("qwerty {}:.-é")) });

/** Whether the secret was masked, and nothing but what stood around it is left. */
function isGone(write: (text: string) => string, secret: string, before: string, after: string): boolean {
  const scrubbed = createScrubber([secret]).scrubText(`<<${write(`${before}(${secret})${after}`)}>>`);
  const around = write(before).length + write(after).length;
  return scrubbed.includes("********") && scrubbed.replaceAll("********", "").length <= around + 60;
}

describe.each(encoders)("what $name writes", ({ encode }) => {
  it("has no secret any more, whatever the secret and wherever it stands", () => {
    fc.assert(
      fc.property(secretText, surroundings, surroundings, (secret, before, after) => {
        expect(isGone(encode, secret, before, after)).toBe(true);
      }),
      { numRuns: 80, seed: 16 },
    );
  });
});

it("takes what only looks like an entity for what it is: a gap in the table of Greek letters was read as one", () => {
  expect(createScrubber(['\\n&-;"" *']).scrubText("(\\n&amp;-;&quot;&quot; *)")).toBe("(********)");
});

describe("one encoding in another", () => {
  const byName = (part: string): Encoder["encode"] => (encoders.find(({ name }) => name === part) as Encoder).encode;
  const [json, html, url] = ["Go encoding/json", "Go html/template, html.EscapeString", "JavaScript encodeURIComponent"].map(byName) as [
    Encoder["encode"],
    Encoder["encode"],
    Encoder["encode"],
  ];
  const php = byName("PHP json_encode");
  const dotnet = byName(".NET System.Text.Json");

  it.each([
    ["JSON in JSON", (text: string) => json(`"${json(text)}"`)],
    ["JSON in JSON in an HTML attribute", (text: string) => html(`"${json(`"${json(text)}"`)}"`)],
    ["JSON in a URL", (text: string) => url(`"${json(text)}"`)],
    ["a URL in JSON of PHP", (text: string) => php(`https://example.com/?a=${url(text)}`)],
    ["HTML in JSON of .NET", (text: string) => dotnet(`<p>${html(text)}</p>`)],
    ["JSON in HTML in JSON in a URL", (text: string) => url(json(html(json(text))))],
    ["URL twice, in HTML", (text: string) => html(url(url(text)))],
  ])("is undone: %s", (_name, write) => {
    fc.assert(
      fc.property(secretText, surroundings, surroundings, (secret, before, after) => {
        expect(isGone(write, secret, before, after)).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  it("is undone for any two of all encoders", () => {
    const isWithBlanks = (name: string): boolean => /^Go .* of bytes/.test(name); // which a form would write as plus signs
    const pair = fc.tuple(
      fc.constantFrom(...encoders.filter(({ name }) => !isWithBlanks(name))),
      fc.constantFrom(...encoders.filter(({ name }) => !/bytes|BitConverter/.test(name))),
    );
    const plain = fc.string({ minLength: 8, maxLength: 24, unit: fc.constantFrom(...Array.from("abcXYZ019\"'&<>+/=;é")) });
    fc.assert(
      fc.property(
        plain.filter((text) => refusalOf(text) === null),
        pair,
        (secret, [inner, outer]) => {
          expect([inner.name, outer.name, createScrubber([secret]).scrubText(outer.encode(inner.encode(secret)))]).toEqual([
            inner.name,
            outer.name,
            expect.stringContaining("********"),
          ]);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe("bytes as programs show them", () => {
  const secret = "p@ss/w+rd&<x> of 24 char";
  const scrubber = createScrubber([secret]);
  const bytes = Buffer.from(`Bearer ${secret}!`);
  const long = Buffer.from(`${"x".repeat(30)}${secret} and much more of it, which makes it too long to be shown`.repeat(4));
  it.each([
    ["console.log of a Buffer", inspect(bytes)],
    ["console.log of a Buffer that is cut at 50 bytes", inspect(long)],
    ["console.log of a Uint8Array", inspect(new Uint8Array(bytes))],
    ["console.log of a Uint8Array that is cut at 100 numbers", inspect(new Uint8Array(long.subarray(20 + 0)).subarray(0, 130))],
    ["console.log of an array in an object", inspect({ a: { b: Array.from(bytes) } }, { depth: 5 })],
    ["JSON of a Buffer", JSON.stringify(bytes)],
    ["JSON of a Buffer, in lines", JSON.stringify({ a: { data: bytes } }, null, 2)],
    ["JSON of a Buffer, in lines, in JSON", JSON.stringify(JSON.stringify({ a: { data: bytes } }, null, 2))],
    ["a fingerprint", bytes.toString("hex").replace(/..(?=.)/g, "$&:")],
    [
      "a fingerprint in capitals",
      bytes
        .toString("hex")
        .toUpperCase()
        .replace(/..(?=.)/g, "$&:"),
    ],
    ["an array of C", Array.from(bytes, (byte, at) => `${at % 12 === 0 ? "\n  " : " "}0x${byte.toString(16).padStart(2, "0")}`).join(",")],
    ["an array of C in capitals", Array.from(bytes, (byte) => `0x${byte.toString(16).padStart(2, "0").toUpperCase()}`).join(", ")],
    ["hexadecimal numbers with blanks", Array.from(bytes, (byte) => `0x${byte.toString(16)}`).join(" ")],
    ["numbers with commas", Array.from(bytes).join(",")],
  ])("%s", (_name, shown) => {
    const scrubbed = scrubber.scrubText(`before ${shown} after`);
    expect(scrubbed).toContain("********");
    const left = [...scrubbed.matchAll(/(?:0x)?[0-9a-fA-F]{2,3}/g)].map(([number]) => number).join();
    const beginning = Array.from(Buffer.from(secret.slice(0, 5)));
    expect(left).not.toContain(beginning.map((byte) => byte.toString(16)).join());
    expect(left).not.toContain(beginning.join());
  });
});

/** The rules above are those of the languages, not of our imagination. */
describe.each(["python3", "go", "java"] as const)("the coded rules of %s", (language) => {
  it("write what the language writes", (context) => {
    const rules = encoders.filter(({ program }) => program?.language === language);
    const texts = ["p@ss/w+rd&<x>\"'é", "日本 😀 \u2028 ä", "a\\b`=;%41~!*()_-.", "tab\tand\u0001control"];
    const written = programOf[language](rules, texts);
    if (written === null) return context.skip(`${language} is not on this machine`);
    expect(written).toEqual(rules.flatMap(({ name, encode }) => texts.map((text) => `${name}: ${encode(text)}`)));
  }, 120_000);
});

type Program = (rules: readonly Encoder[], texts: readonly string[]) => string[] | null;
const literal = (text: string): string =>
  `"${text.replace(/[^ !#-[\]-~]/gu, (each) => Array.from({ length: each.length }, (_, at) => `\\u${each.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""))}"`;

const programOf: Readonly<Record<"python3" | "go" | "java", Program>> = {
  python3: (rules, texts) => {
    const lines = rules.map(({ name, program }) => `for text in texts: print(${JSON.stringify(`${name}: `)} + ${program?.expression})`);
    const source = `import json, html, urllib.parse, sys\nsys.stdout.reconfigure(encoding="utf-8")\ntexts = json.loads(sys.argv[1])\n${lines.join("\n")}`;
    return linesOf("python3", ["-c", source, JSON.stringify(texts)]);
  },
  go: (rules, texts) => {
    const lines = rules.map(
      ({ name, program }) => `for _, text := range texts { fmt.Println(${JSON.stringify(`${name}: `)} + ${program?.expression}) }`,
    );
    const source = `package main
import ("encoding/json"; "fmt"; "html"; "net/url"; "os")
func jsonOf(text string) string { out, _ := json.Marshal(text); return string(out[1:len(out)-1]) }
func main() { var texts []string; json.Unmarshal([]byte(os.Args[1]), &texts)
${lines.join("\n")} }`;
    return inFolder("main.go", source, (path) => linesOf("go", ["run", path, JSON.stringify(texts)]));
  },
  java: (rules, texts) => {
    const lines = rules.map(
      ({ name, program }) => `for (String text : texts) out.println(${JSON.stringify(`${name}: `)} + ${program?.expression});`,
    );
    const source = `public class Main { public static void main(String[] args) throws Exception {
java.io.PrintStream out = new java.io.PrintStream(System.out, true, "UTF-8");
String[] texts = { ${texts.map(literal).join(", ").replaceAll("\\u005c", "\\\\").replaceAll("\\u0022", '\\"')} };
${lines.join("\n")} } }`;
    return inFolder("Main.java", source, (path) => linesOf("java", [path]));
  },
};

function linesOf(command: string, args: readonly string[]): string[] | null {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: "utf8",
    env: { ...process.env, GOFLAGS: "-mod=mod", GO111MODULE: "off" },
  });
  if (error !== undefined || (status !== 0 && /not found|no such|Unable to locate/i.test(stderr))) return null;
  expect([status, stderr]).toEqual([0, expect.anything()]);
  return stdout.trimEnd().split("\n");
}

function inFolder<T>(name: string, source: string, work: (path: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "encoders-"));
  try {
    writeFileSync(join(folder, name), source);
    return work(join(folder, name));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
