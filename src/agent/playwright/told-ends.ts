import type { EgressProxy } from "../egress/egress-proxy.ts";
import type { KeptTree, TreeExcess } from "../sandbox/keep-tree.ts";
import { mostKeptLines, mostLineBytes, mostToldBytes } from "./limits.ts";

/** How what a tree was asked for ended. */
export type TreeEnd =
  | { readonly how: "told"; readonly line: string }
  | { readonly how: "late" | "ended" | "too-long" | "cut-off" | TreeExcess };

/** What a tree tells, and how it ends where it tells no more. */
export class ToldEnds {
  readonly #tree: Pick<KeptTree, "answers" | "exited" | "excess">;
  readonly #egress: Pick<EgressProxy, "ended">;
  readonly #lines = new Lines();

  constructor(tree: Pick<KeptTree, "answers" | "exited" | "excess">, egress: Pick<EgressProxy, "ended">) {
    this.#tree = tree;
    this.#egress = egress;
    tree.answers.on("data", (chunk: Buffer) => this.#lines.take(chunk));
  }

  /** What was told before the end of a run, the last time. */
  get soFar(): string {
    return this.#lines.soFar;
  }

  /** Waits for the next whole line, or for why none comes. @throws the signal's reason */
  async next(limitMs: number, signal: AbortSignal | null): Promise<TreeEnd> {
    const late = Promise.withResolvers<TreeEnd>();
    const timer = setTimeout(() => late.resolve({ how: "late" }), limitMs);
    const onAbort = (): void => late.reject(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    const exited = this.#tree.exited.then((): TreeEnd => ({ how: this.#tree.excess ?? "ended" }));
    const cutOff = this.#egress.ended.then((): TreeEnd => ({ how: "cut-off" }));
    try {
      return await Promise.race([this.#lines.next(), late.promise, exited, cutOff]);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  }
}

/** Of a line that tells of a run that goes on. */
const soFar = "so far ";

/** Whole lines, one after the other. */
class Lines {
  /** Without its beginning; empty before the first one. */
  soFar = "";
  #text: Buffer[] = [];
  #lineBytes = 0;
  #bytes = 0;
  /** Too much was told; what comes yet is let go. */
  #isOver = false;
  readonly #whole: TreeEnd[] = [];
  #waiting: ((line: TreeEnd) => void) | null = null;

  take(chunk: Buffer): void {
    for (let at = 0; at < chunk.length && !this.#isOver; ) {
      const found = chunk.indexOf(10, at);
      const end = found === -1 ? chunk.length : found + 1; // its newline counts: a flood of empty lines is one
      this.#add(chunk.subarray(at, end), found !== -1);
      at = end;
    }
  }

  #add(part: Buffer, isEnd: boolean): void {
    this.#bytes += part.length;
    this.#lineBytes += part.length;
    this.#text.push(part);
    if (isEnd && !this.#isTooLong()) this.#end();
    if (!this.#isTooLong()) return;
    this.#isOver = true;
    this.#text = [];
    this.#whole.length = 0;
    this.#give({ how: "too-long" });
  }

  #end(): void {
    const line = Buffer.concat(this.#text).toString().slice(0, -1);
    this.#text = [];
    this.#lineBytes = 0;
    if (line.startsWith(soFar)) this.soFar = line.slice(soFar.length);
    else this.#give({ how: "told", line });
  }

  #isTooLong(): boolean {
    return this.#lineBytes > mostLineBytes || this.#bytes > mostToldBytes || this.#whole.length > mostKeptLines;
  }

  next(): Promise<TreeEnd> {
    const first = this.#whole.shift();
    if (first !== undefined) return Promise.resolve(first);
    const { promise, resolve } = Promise.withResolvers<TreeEnd>();
    this.#waiting = resolve;
    return promise;
  }

  #give(line: TreeEnd): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting === null) this.#whole.push(line);
    else waiting(line);
  }
}
