import { inspect } from "node:util";
import { describe, expect } from "vitest";
import { createScrubber } from "#domain/scrub/scrubber.ts";
import { encoders } from "../support/encoders/encoders.ts";
import { attack } from "./attack.ts";
import { asUsualMs } from "./cpu-of.ts";

const secret = `p@ss/w+rd&<x>"'é of a shop`;
const megabyte = 1_000_000;

describe("secrets on the agent's side", () => {
  attack("C1", "a server answers with the secret as the JSON, HTML or URL writers of eight languages write it", (held) => {
    const scrubber = createScrubber([secret]);
    for (const { name, encode } of encoders) {
      const answer = `{"echo":"${encode(secret)}"}`;
      expect([name, scrubber.scrubText(answer)]).toEqual([name, expect.stringMatching(/^\{"echo":"(a=)?\[?\*{8}\]?"\}$/)]);
    }
    held("escapes are undone before the search", `${encoders.length} writers, 0 found`);
  });

  attack("C1", "a server wraps it in one writing after another", (held) => {
    const scrubber = createScrubber([secret]);
    const nestable = encoders.filter(({ name }) => /json|html|Encoder|quote|encodeURIComponent/i.test(name));
    let tried = 0;
    for (const one of nestable)
      for (const two of nestable)
        for (const three of nestable.slice(0, 6)) {
          tried += 1;
          const answer = three.encode(two.encode(one.encode(secret)));
          expect([one.name, two.name, three.name, scrubber.scrubText(`<${answer}>`)]).toEqual([
            one.name,
            two.name,
            three.name,
            "<********>",
          ]);
        }
    held("escapes in escapes are undone", `${tried} ways, 0 found`);
  });

  attack(
    "C1",
    "texts that are nothing but escapes, to cost time",
    (held) => {
      const scrubber = createScrubber([secret]);
      const pieces = ["\\", "%25", "&amp;", "&amp;amp;", "%2525", "\\u005c", "&#x26;", "1,", "\\u00", "&", "%5Cu0025", "&amp;#37;25"];
      const meanest = pieces.map((piece) => {
        const short = cpuMsOf(() => scrubInChunks(scrubber, piece, 1));
        const limitMs = 8 * 4 * Math.max(short, 10);
        const long = cpuMsOf(() => scrubInChunks(scrubber, piece, 8), limitMs);
        expect([piece, long < limitMs]).toEqual([piece, true]);
        return { piece, long };
      });
      const slowest = meanest.toSorted((a, b) => b.long - a.long)[0] as (typeof meanest)[number];
      expect(slowest.long).toBeLessThan(4_000);
      held("time grows with the length alone", `${(slowest.long / 8).toFixed(0)} ms of CPU for a MB of ${slowest.piece}`);
    },
    180_000,
  ); // of a busy machine: what counts is CPU

  attack("C2", "a script logs the bytes of a secret", (held) => {
    const scrubber = createScrubber([secret]);
    const bytes = Buffer.from(`Bearer ${secret}`);
    const shown = [
      inspect(bytes),
      inspect(Buffer.concat([Buffer.alloc(30, "x"), bytes])),
      inspect(new Uint8Array(bytes)),
      inspect({ deep: { list: Array.from(bytes) } }),
      JSON.stringify(bytes),
      JSON.stringify({ a: bytes }, null, 4),
      bytes.toString("hex").replace(/..(?=.)/g, "$&:"),
      Array.from(bytes, (byte) => `0x${byte.toString(16)}`).join(", "),
      Array.from(bytes).join(" "),
    ];
    for (const text of shown) {
      const left = [...scrubber.scrubText(text).matchAll(/\b(?:0x)?[0-9a-f]{2,3}\b/g)].map(([number]) => number).join();
      expect([text, left.includes("112,64,115"), left.includes("70,40,73")]).toEqual([text, false, false]);
    }
    held("lists of bytes are read as bytes", `${shown.length} ways to show them, 0 found`);
  });
});

function scrubInChunks(scrubber: ReturnType<typeof createScrubber>, piece: string, megabytes: number): void {
  const text = Buffer.alloc(megabytes * megabyte, piece);
  const window = scrubber.window("text", () => undefined);
  for (let at = 0; at < text.length; at += 65_536) window.push(text.subarray(at, at + 65_536));
  window.end();
}

/** Of this thread, the best of two tries, and of up to six where both are over the limit: the collector of garbage runs in it, too. */
function cpuMsOf(work: () => void, limitMs = Number.POSITIVE_INFINITY): number {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 2 || (attempt < 6 && least >= limitMs); attempt += 1) {
    const before = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, asUsualMs((user + system) / 1_000, limitMs));
  }
  return least;
}
