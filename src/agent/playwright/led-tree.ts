import { existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { sleep } from "#daemon/sleep.ts";
import { AppError } from "#domain/app-error.ts";
import type { EgressRefusal } from "../egress/egress-proxy.ts";
import { readBytes } from "./run-files.ts";

/** What the script of a led run is asked to do, by name (`inside/led.cjs`). */
export interface Order {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /**
   * A step of a way that was gone before: what it leads to is read when the next one has found its element, so its answer comes then. After one that did not
   * work, the others are not tried.
   */
  readonly isKnown?: boolean;
}

/** What came of it. The tree has no code of a user, but pages: it is read as an attacker would have written it. */
const Answer = z.object({ ok: z.boolean(), text: z.string().max(65_536), url: z.string().max(4_096).catch("") });
export type Answer = z.infer<typeof Answer>;

/** A run that somebody leads while it goes on. */
export interface LedTree {
  /** One after another. @throws {AppError} unreachable where the tree ended */
  ask(order: Order): Promise<Answer>;
  /** Orders that need not be thought about in between: the tree goes from one to the next without a word. @returns what waits for the answer of each */
  lineUp(orders: readonly Order[]): Promise<readonly (() => Promise<Answer>)[]>;
  /** What the run's way into the network refused so far; it grows. */
  readonly refusals: readonly EgressRefusal[];
}

/** Between two looks for a file that the tree writes: one is a single call of the system, and each moment too late is a moment of the run. */
const [firstPollMs, slower, longestPollMs] = [2, 1.1, 10];
const mostAnswerBytes = 262_144;
/** Of one order: longer than any of its own limits. */
const orderLimitMs = 45_000;

/**
 * Orders and answers are files of the run's folder, each with a number of its own and a line end as its last byte: the tree has no other way to speak
 * to its agent while a test goes on. The folder is the tree's own, so nothing in it is followed or written over.
 *
 * @param ended aborts when the tree told its last word or was killed
 */
function ledTree(pair: LedPair, ended: AbortSignal): LedTree {
  const { run: runFolder } = pair.folder;
  let count = 0;
  const put = async (order: Order): Promise<number> => {
    count += 1;
    const number = count;
    await writeNew(join(runFolder, `order-${number}.json`), `${JSON.stringify(order)}\n`);
    return number;
  };
  const answerTo = async (number: number): Promise<Answer> => {
    const answer = join(runFolder, `answer-${number}.json`);
    const endMs = performance.now() + orderLimitMs;
    for (let pollMs = firstPollMs; performance.now() < endMs; pollMs = Math.min(longestPollMs, pollMs * slower)) {
      const text = existsSync(answer) ? (await readBytes(answer, mostAnswerBytes, "beginning")).toString() : "";
      if (text.endsWith("\n")) return Answer.catch(unreadable).parse(jsonOf(text));
      if (ended.aborted) throw new AppError("unreachable", "the browser of this run ended");
      await sleep(pollMs, ended);
    }
    return { ok: false, text: `error: the page did not answer within ${orderLimitMs / 1_000} s`, url: "" };
  };
  return {
    get refusals() {
      return pair.refusals;
    },
    ask: async (order) => answerTo(await put(order)),
    async lineUp(orders) {
      const numbers: number[] = [];
      for (const order of orders) numbers.push(await put(order));
      return numbers.map((number) => () => answerTo(number));
    },
  };
}

interface LedPair {
  readonly folder: { readonly run: string };
  readonly refusals: readonly EgressRefusal[];
}

/** Waits for the end of a run, and then for who leads it, if anybody does: without a tree he has nothing to wait for. */
export async function whileLed<End>(
  lead: ((tree: LedTree) => Promise<void>) | undefined,
  pair: LedPair,
  running: Promise<End>,
): Promise<End> {
  if (lead === undefined) return running;
  const ended = new AbortController();
  const leading = lead(ledTree(pair, ended.signal));
  try {
    return await running;
  } finally {
    ended.abort();
    await leading;
  }
}

const unreadable: Answer = { ok: false, text: "error: the browser's answer could not be read", url: "" };

/** @throws where there is such a file already */
async function writeNew(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o644); // `wx` follows no link
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
