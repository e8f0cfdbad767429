import { hasCode } from "#domain/app-error.ts";

interface Waiting<In, Out> {
  readonly input: In;
  readonly resolve: (output: Out) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Calls that arrive while a batch is being written become the next batch, so that many small callers cost one transaction.
 * Alone, a call waits for nothing. When a batch fails, each of its calls is tried alone: one bad call fails only itself.
 */
export class GroupCommit<In, Out> {
  readonly #write: (inputs: readonly In[]) => Promise<readonly Out[]>;
  readonly #weigh: (input: In) => number;
  readonly #maxWeight: number;
  readonly #lanes: number;
  #waiting: Waiting<In, Out>[] = [];
  #writing = 0;

  /** @param lanes batches that are written at the same time */
  constructor(lanes: number, maxWeight: number, weigh: (input: In) => number, write: (inputs: readonly In[]) => Promise<readonly Out[]>) {
    this.#lanes = lanes;
    this.#maxWeight = maxWeight;
    this.#weigh = weigh;
    this.#write = write;
  }

  add(input: In): Promise<Out> {
    const { promise, resolve, reject } = Promise.withResolvers<Out>();
    this.#waiting.push({ input, resolve, reject });
    if (this.#writing < this.#lanes) void this.#run();
    return promise;
  }

  async #run(): Promise<void> {
    this.#writing += 1;
    while (this.#waiting.length > 0) await this.#writeBatch(this.#nextBatch());
    this.#writing -= 1;
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
