import { hasCode } from "#domain/app-error.ts";

export interface Slices<In> {
  /** From the beginning of one batch to that of the next, unless something urgent comes. */
  readonly ms: number;
  readonly isUrgent: (input: In) => boolean;
}

interface Waiting<In, Out> {
  readonly input: In;
  readonly resolve: (output: Out) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Calls that arrive while a batch is being written become the next batch, so that many small callers cost one transaction.
 * Alone, a call waits for nothing; where calls keep coming, slices make larger batches of them. When a batch fails, each of its calls is tried alone: one bad call fails only itself.
 */
export class GroupCommit<In, Out> {
  readonly #write: (inputs: readonly In[]) => Promise<readonly Out[]>;
  readonly #weigh: (input: In) => number;
  readonly #maxWeight: number;
  readonly #lanes: number;
  readonly #slices: Slices<In> | undefined;
  /** When the next batch may begin; on `performance.now()`. */
  #nextMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #waiting: Waiting<In, Out>[] = [];
  #writing = 0;

  /** @param lanes batches that are written at the same time */
  constructor(
    lanes: number,
    maxWeight: number,
    weigh: (input: In) => number,
    write: (inputs: readonly In[]) => Promise<readonly Out[]>,
    slices?: Slices<In>,
  ) {
    this.#slices = slices;
    this.#lanes = lanes;
    this.#maxWeight = maxWeight;
    this.#weigh = weigh;
    this.#write = write;
  }

  add(input: In): Promise<Out> {
    const { promise, resolve, reject } = Promise.withResolvers<Out>();
    this.#waiting.push({ input, resolve, reject });
    this.#begin(this.#slices?.isUrgent(input) === true);
    return promise;
  }

  #begin(isUrgent: boolean): void {
    if (this.#writing >= this.#lanes) return;
    const restMs = isUrgent ? 0 : this.#nextMs - performance.now();
    if (restMs <= 0) void this.#run();
    else this.#timer ??= setTimeout(() => this.#run(), restMs);
  }

  async #run(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length === 0) return;
    this.#writing += 1;
    this.#nextMs = performance.now() + (this.#slices?.ms ?? 0);
    await this.#writeBatch(this.#nextBatch());
    this.#writing -= 1;
    if (this.#waiting.length > 0) this.#begin(this.#waiting.some(({ input }) => this.#slices?.isUrgent(input) === true));
  }

  #nextBatch(): readonly Waiting<In, Out>[] {
    let weight = 0;
    let count = 0;
    for (const { input } of this.#waiting) {
      weight += this.#weigh(input);
      if (count > 0 && weight > this.#maxWeight) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  async #writeBatch(batch: readonly Waiting<In, Out>[]): Promise<void> {
    try {
      const outputs = await this.#write(batch.map((one) => one.input));
      batch.forEach((one, index) => one.resolve(outputs[index] as Out));
    } catch (error) {
      // A store that cannot answer now will not answer each of them either.
      if (batch.length === 1 || hasCode(error, "unavailable")) for (const one of batch) one.reject(error);
      else for (const one of batch) await this.#writeBatch([one]);
    }
  }
}
