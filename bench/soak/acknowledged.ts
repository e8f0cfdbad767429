import { partsOf } from "#domain/ids.ts";

const answer = /"jobId":"([0-9a-f-]{36})","attempt":(\d+),"outcome":"(accepted|duplicate)"/g;

/** The attempts that agents were told are stored, as read on the wire. What a cut between two packets hides is not in it. */
export class Acknowledged {
  readonly #attempts = new Set<string>();

  read(path: string, part: string): void {
    if (path !== "/agent/v1/results") return;
    for (const [, jobId = "", attempt = ""] of part.matchAll(answer)) this.#attempts.add(`${partsOf(jobId)?.n} ${attempt}`);
  }

  get count(): number {
    return this.#attempts.size;
  }

  /** @param stored the attempts that REST tells */
  lost(stored: Iterable<{ readonly sequenceId: string | null; readonly attempts: number }>): readonly string[] {
    const there = new Set(Array.from(stored, ({ sequenceId, attempts }) => `${partsOf(sequenceId ?? "")?.n} ${attempts}`));
    return [...this.#attempts].filter((attempt) => !there.has(attempt));
  }
}
