import type { Writable } from "node:stream";
import { styleText } from "node:util";
import { oneLine } from "#domain/alerting/plain-text.ts";
import type { Finding } from "./finding.ts";

/** What servers, proxies and databases say stands in findings, too: a terminal gets no control characters of theirs. */
const longest = 2_000;

const marks = { ok: ["✓", "green"], warn: ["!", "yellow"], fail: ["✗", "red"] } as const;

/**
 * Prints what a doctor found, in colour where `stream` is a terminal.
 *
 * @param whom who was examined, at the start of a sentence: "An agent"
 * @returns the exit code: 1 when something failed
 */
export function printFindings(findings: readonly Finding[], whom: string, stream: Writable & { readonly isTTY?: boolean }): 0 | 1 {
  const isTerminal = stream.isTTY === true;
  const paint = (colour: "green" | "yellow" | "red" | "bold" | "dim", text: string): string =>
    isTerminal ? styleText(colour, text, { validateStream: false }) : text;
  const width = Math.max(...findings.map(({ about }) => about.length));
  for (const { about, verdict, text, next } of findings) {
    const [mark, colour] = marks[verdict];
    stream.write(`${paint(colour, mark)} ${paint("bold", about.padEnd(width))}  ${oneLine(text, longest)}\n`);
    if (next !== undefined) stream.write(`  ${" ".repeat(width)}  ${paint("dim", `→ ${oneLine(next, longest)}`)}\n`);
  }
  const failed = findings.filter(({ verdict }) => verdict === "fail").length;
  stream.write(
    `\n${failed === 0 ? paint("green", `${whom} can work here.`) : paint("red", `${whom} cannot work here until the marked points are put right.`)}\n`,
  );
  return failed === 0 ? 0 : 1;
}
