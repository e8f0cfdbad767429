import type { ServerResponse } from "node:http";
import { httpServer } from "./http-servers/http-server.ts";

/** What the target does with the n-th request (from 1) of one path: a status, or a connection that is cut. */
export type TargetAnswer = (name: string, nth: number) => number | "cut";

/** A target that counts every request by its path, and can keep requests waiting until it is told to answer them. */
export interface LedgerTarget extends AsyncDisposable {
  url(name: string): string;
  /** Requests so far, of one path or of all. */
  requests(name?: string): number;
  /** Requests that wait for their answer. */
  waiting(): number;
  /** From now on requests wait. */
  hold(): void;
  /** Answers what waits and, from now on, everything at once. */
  release(): void;
  /** Answers from now on after this long, ms. */
  slowTo(ms: number): void;
}

export async function ledgerTarget(answer: TargetAnswer = () => 200): Promise<LedgerTarget> {
  const counts = new Map<string, number>();
  const held = new Set<() => void>();
  let isHolding = false;
  let delayMs = 0;

  const server = await httpServer((request, response) => {
    const name = request.url?.slice(1) ?? "";
    const nth = (counts.get(name) ?? 0) + 1;
    counts.set(name, nth);
    const reply = (): void => send(response, answer(name, nth));
    if (!isHolding) {
      setTimeout(reply, delayMs);
      return;
    }
    held.add(reply);
    response.on("close", () => held.delete(reply));
  });

  return {
    url: (name) => `${server.url}/${name}`,
    requests: (name) => (name === undefined ? counts.values().reduce((sum, count) => sum + count, 0) : (counts.get(name) ?? 0)),
    waiting: () => held.size,
    hold: () => (isHolding = true),
    release() {
      isHolding = false;
      for (const reply of held) reply();
      held.clear();
    },
    slowTo: (ms) => (delayMs = ms),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function send(response: ServerResponse, answer: number | "cut"): void {
  if (answer === "cut") response.destroy();
  else response.writeHead(answer, { "content-type": "text/plain" }).end("counted");
}
