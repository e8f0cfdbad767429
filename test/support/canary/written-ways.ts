import { gzipSync } from "node:zlib";
import { zipFile } from "../zip-file.ts";

const escaped = (text: string): string => text.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
const perByte = (text: string, prefix: string): string => Buffer.from(text).toString("hex").replace(/../g, `${prefix}$&`);
const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** Every way in which programs write a text into a text. */
export function writtenWays(text: string): readonly string[] {
  const percent = encodeURIComponent(text);
  const json = JSON.stringify(text);
  return [
    text,
    ...["", ".", ".."].map((before) => base64(before + text)),
    Buffer.from(`.${text}`).toString("base64url"),
    base64(base64(text)),
    base64(json),
    base64(`${"in front of it ".repeat(4)}${text}`).replace(/.{76}/g, "$&\r\n"),
    Buffer.from(text).toString("hex"),
    Buffer.from(text).toString("hex").toUpperCase(),
    percent,
    percent.replace(/%../g, (escape) => escape.toLowerCase()),
    encodeURIComponent(percent),
    new URLSearchParams({ text }).toString(),
    perByte(text, "%"),
    perByte(text, "\\x"),
    json,
    JSON.stringify(json),
    escaped(text),
    escaped(text).toUpperCase().replaceAll("\\U", "\\u"),
    text.replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`),
    text.replace(/[^A-Za-z0-9]/g, (each) => `&#x${each.charCodeAt(0).toString(16)};`),
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;").replaceAll("'", "&#39;"),
  ];
}

/** All of them, of all texts, a line each. */
export function writtenInAllWays(texts: readonly string[]): string {
  return texts.flatMap(writtenWays).join("\n");
}

/** Files that have the texts inside, packed in every way that is opened; each larger than what a result stores. */
export function packed(texts: readonly string[], padding: Buffer): Readonly<Record<string, Buffer>> {
  const content = Buffer.from(texts.join("\n"));
  const inner = gzipSync(content);
  return {
    gzip: gzipSync(Buffer.concat([padding, content])),
    zip: zipFile([
      { name: "padding.bin", content: padding, stored: true },
      { name: "secrets.txt", content },
      { name: "inner.gz", content: inner },
    ]),
    tar: Buffer.concat([
      tarEntry("padding.bin", padding),
      tarEntry("secrets.txt", content),
      tarEntry("inner.gz", inner),
      Buffer.alloc(1024),
    ]),
  };
}

/** As POSIX.1-1988 has it. */
function tarEntry(name: string, content: Buffer): Buffer {
  const header = Buffer.alloc(512);
  const field = (text: string, at: number): void => void header.write(text, at, "latin1");
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, "0")}\0`;
  field(name, 0);
  field(octal(0o644, 7), 100);
  field(octal(0, 7), 108);
  field(octal(0, 7), 116);
  field(octal(content.length, 11), 124);
  field(octal(0, 11), 136);
  field("        ", 148);
  field("0", 156);
  field("ustar\0" + "00", 257);
  field(
    `${octal(
      header.reduce((sum, byte) => sum + byte, 0),
      6,
    )} `,
    148,
  );
  return Buffer.concat([header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
}
