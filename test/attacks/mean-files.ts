import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { zipFile } from "../support/zip-file.ts";

const entries = (count: number, content: Buffer): Buffer =>
  zipFile(Array.from({ length: count }, (_, index) => ({ name: `${index}`, content })));

/** Files that cost much for their size, by what they are. */
export const meanFiles: Readonly<Record<string, () => Buffer>> = {
  "20,000 entries": () => entries(20_000, Buffer.from("x".repeat(20))),
  "20,000 entries of 20 KB": () => entries(20_000, Buffer.alloc(20_000, "some text ")),
  "entries that look like ends": () => entries(2_000, Buffer.concat([Buffer.from("text"), Buffer.alloc(60_000, "PK\x05\x06\0", "latin1")])),
  "60 MB of backslashes": () => Buffer.alloc(60_000_000, "\\"),
  "60 MB of &amp;amp;": () => Buffer.alloc(60_000_000, "&amp;amp;amp;"),
  "60 MB of numbers": () => Buffer.alloc(60_000_000, "1,"),
  "packed escapes": () => gzipSync(Buffer.alloc(30_000_000, "%2525")),
  "6 MB of hits": () => gzipSync(Buffer.alloc(6_000_000, "a-real-secret-91x")),
  "20,000 entries that are packed themselves": () => entries(20_000, gzipSync(Buffer.from("x".repeat(20)))),
  "a hit in 40 MB to be packed again": () => {
    const letters = Buffer.from(randomBytes(15_000_000).toString("base64"));
    return gzipSync(Buffer.concat([letters, Buffer.from("a-real-secret-91"), letters]), { level: 1 });
  },
};
