import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { gzipSync } from "node:zlib";
import { scrubFile } from "../src/agent/scrub/scrub-file.ts";
import { encodedForms } from "../src/domain/scrub/encoded-forms.ts";
import { createScrubber } from "../src/domain/scrub/scrubber.ts";
import { table } from "./support/processes.ts";

/**
 * Scrubbing: how fast the scanner is on texts and base64 with many secrets, beside `grep -F` with the same patterns and a copy in memory;
 * what compiling costs; what a result of 10 KB costs without secrets and with 1, 10 and all of them, alone and with a secret of each run;
 * texts that are made to be slow; and a file of 150 MB through the thread, with the delay of the main loop and the growth of memory meanwhile.
 *
 *   node --conditions=source bench/scrub.ts [secrets, 100] [MB, 64]
 */
const count = Number(process.argv[2] ?? 100);
const megabyte = 1_000_000;
const size = Number(process.argv[3] ?? 64) * megabyte;

const secrets = Array.from({ length: count }, (_, index) => randomBytes(12 + (index % 13)).toString(index % 2 === 0 ? "base64" : "hex"));
const words = "GET POST /api/v2/orders 200 OK content-type: application/json user agent timeout 1732 ms level info trace cache hit".split(
  " ",
);

function textOf(bytes: number): Buffer {
  const lines: string[] = [];
  for (let at = 0; at < 2_000_000; ) {
    const line = `2026-11-22T10:${at % 60}:${at % 59} ${Array.from({ length: 12 }, (_, n) => words[(at * 7 + n * 13) % words.length]).join(" ")} id=${at.toString(36)}`;
    lines.push(line);
    at += line.length + 1;
  }
  return repeated(Buffer.from(`${lines.join("\n")}\n`), bytes);
}

function repeated(block: Buffer, bytes: number): Buffer {
  const out = Buffer.alloc(bytes);
  for (let at = 0; at < bytes; at += block.length) block.copy(out, at);
  return out;
}

/** MB/s of CPU time, the best of three: what other processes do meanwhile does not count. */
function speed(bytes: number, cpuMs: () => number): number {
  return bytes / megabyte / (Math.min(cpuMs(), cpuMs(), cpuMs()) / 1000);
}

function ofThread(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** The second line of `times` is what its children took: user and system. */
function ofGrep(patterns: string, path: string): number {
  const { stdout } = spawnSync("sh", ["-c", 'grep -a -c -F -f "$0" "$1" | cat >/dev/null; times', patterns, path], {
    env: { LC_ALL: "C" },
  });
  const spent =
    stdout
      .toString()
      .split("\n")[1]
      ?.matchAll(/(\d+)m([\d.]+)s/g) ?? [];
  return [...spent].reduce((sum, [, minutes, seconds]) => sum + (Number(minutes) * 60 + Number(seconds)) * 1000, 0);
}

const compileStart = performance.now();
const scrubber = createScrubber(secrets);
const compileMs = performance.now() - compileStart;
const secondStart = performance.now();
createScrubber(secrets, ["one-more-secret-of-a-run"]);
const secondMs = performance.now() - secondStart;

/** CPU time of one round. */
function cpuUs(rounds: number, work: (round: number) => void): number {
  for (let round = 0; round < rounds / 5; round += 1) work(-round - 1);
  const all = ofThread(() => {
    for (let round = 0; round < rounds; round += 1) work(round);
  });
  return (all / rounds) * 1000;
}

const result = {
  request: { method: "GET", url: "https://shop.example/api/v2/orders", headers: { accept: "application/json" }, body: "" },
  response: {
    statusCode: 200,
    headers: Object.fromEntries(words.map((word, index) => [`x-${word.replace(/\W/g, "")}-${index}`, `${word} ${index}`])),
    body: textOf(9_000).toString(),
  },
  assertions: Array.from({ length: 3 }, () => ({ source: "STATUS_CODE", comparison: "EQUALS", target: "200", actual: 200 })),
};

const ofResult = [0, 1, 10, count].map((some) => {
  const few = secrets.slice(0, some);
  const plain = cpuUs(2_000, () => createScrubber(few).scrubJson(result));
  const renewed = cpuUs(200, (round) => createScrubber(few, [`secret of run ${some} ${round}`]).scrubJson(result));
  return [String(some), plain.toFixed(1), renewed.toFixed(0)];
});

const alike = Array.from({ length: count }, () => `postgres://app:${randomBytes(9).toString("hex")}@database.internal:5432/production`);
const slow = [
  ["a secret's beginning, over and over", secrets, (secrets[0] ?? "").slice(0, 14)],
  ["one letter, and a secret of it", [`${"a".repeat(31)}b`], "a"],
  ["a secret in itself", ["abababab"], "ab"],
  ["the beginning that all secrets have", alike, "postgres://app:"],
  ["the end that all secrets have, as base64", alike, Buffer.from("@database.internal:5432/production").toString("base64")],
  ["a secret of 4 characters", ["4711"], "47 11 4 "],
].map(([name, some, piece]) => {
  const text = Buffer.alloc(8 * megabyte, piece as string);
  const found = createScrubber(some as string[]);
  const us = cpuUs(3, () => {
    const window = found.window("text", () => undefined);
    for (let at = 0; at < text.length; at += 131_072) window.push(text.subarray(at, at + 131_072));
    window.end();
  });
  return [name as string, (text.length / us).toFixed(0)];
});

const folder = mkdtempSync(join(tmpdir(), "outpost-bench-"));
const patterns = secrets.flatMap((secret) => encodedForms(secret).map(({ bytes }) => bytes));
writeFileSync(
  join(folder, "patterns"),
  Buffer.concat(patterns.filter((bytes) => !bytes.includes(0)).flatMap((bytes) => [bytes, Buffer.from("\n")])),
);

const inputs = {
  text: textOf(size),
  base64: Buffer.from(randomBytes(Math.ceil((size * 3) / 4)).toString("base64")).subarray(0, size),
  "base64 in lines of 76": Buffer.from(
    randomBytes(Math.ceil((size * 3) / 4) + 3)
      .toString("base64")
      .replace(/.{76}/g, "$&\n"),
  ).subarray(0, size),
  binary: randomBytes(size),
  "text with a hit in each 10 KB": withHits(textOf(size)),
};

function withHits(text: Buffer): Buffer {
  for (let at = 0, turn = 0; at + 100 < text.length; at += 10_000, turn += 1) text.write(secrets[turn % secrets.length] ?? "", at);
  return text;
}

const rows = Object.entries(inputs).map(([name, input]) => {
  const scrub = speed(input.length, () =>
    ofThread(() => {
      const window = scrubber.window("text", () => undefined);
      for (let at = 0; at < input.length; at += 131_072) window.push(input.subarray(at, at + 131_072));
      window.end();
    }),
  );
  const target = Buffer.alloc(input.length);
  const copy = speed(input.length, () => ofThread(() => input.copy(target)));
  const path = join(folder, "input");
  writeFileSync(path, input);
  const grep = speed(input.length, () => ofGrep(join(folder, "patterns"), path));
  return [name, scrub.toFixed(0), grep.toFixed(0), (scrub / grep).toFixed(1), (scrub / copy).toFixed(3)];
});
console.log(
  `\n${count} secrets, ${patterns.length} forms; compiled in ${compileMs.toFixed(0)} ms, one of a run beside them in ${secondMs.toFixed(1)} ms\n`,
);
console.log(table([["MB/s of CPU time", "scrub", "grep -F", "times grep", "of a copy"], ...rows]));

console.log(`\n${table([["secrets", "result of 10 KB, CPU us", "with one more, new in each run"], ...ofResult])}`);
console.log(`\n${table([["texts made to be slow", "MB/s of CPU time"], ...slow])}`);

async function wholeFile(name: string, content: (bytes: number) => Buffer): Promise<string[]> {
  const from = join(folder, "artifact");
  const fd = openSync(from, "w");
  for (const part of [content(75_000_000), Buffer.from(secrets[0] ?? ""), content(75_000_000)]) writeSync(fd, part);
  closeSync(fd);
  return measuredFile(name, from);
}

async function measuredFile(name: string, from: string): Promise<string[]> {
  global.gc?.();
  const before = process.memoryUsage.rss();
  let peak = before;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5);
  const start = performance.now();
  const verdict = await scrubFile({ from, to: join(folder, "out"), secrets, signal: new AbortController().signal });
  const tookMs = performance.now() - start;
  clearInterval(watch);
  delay.disable();
  rmSync(join(folder, "out"), { force: true });
  return [
    name,
    verdict.is,
    (tookMs / 1000).toFixed(2),
    (delay.percentile(99) / 1e6 - 1).toFixed(1),
    ((peak - before) / megabyte).toFixed(0),
  ];
}

const clean = textOf(20 * megabyte);
const archive = gzipSync(Buffer.concat([clean, Buffer.from(secrets[1] ?? "")]));
for (const key of Object.keys(inputs) as (keyof typeof inputs)[]) delete (inputs as Partial<typeof inputs>)[key];
const files = [await wholeFile("150 MB of text", textOf), await wholeFile("150 MB of bytes", (bytes) => randomBytes(bytes))];
writeFileSync(join(folder, "log.gz"), archive);
files.push(
  await measuredFile(`${(archive.length / megabyte).toFixed(1)} MB of gzip, 20 MB unpacked, packed again`, join(folder, "log.gz")),
);
console.log(`\n${table([["file through the thread", "verdict", "s", "main loop p99 ms", "memory grew MB"], ...files])}\n`);
rmSync(folder, { recursive: true });
