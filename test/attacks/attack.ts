import { it } from "vitest";

/** What an attack came to, for the report of `npm run test:attacks`. */
export interface AttackRecord {
  /** The point of `SECURITY.md` that the attack tries, such as `A1`. */
  readonly point: string;
  readonly attack: string;
  /** What held it, in a few words. */
  heldBy?: string;
  /** What was measured, with its unit and its limit: `3 ms of CPU (limit 20)`. */
  figure?: string;
}

declare module "vitest" {
  interface TaskMeta {
    attack?: AttackRecord;
  }
}

type Held = (heldBy: string, figure?: string) => void;

/**
 * A test whose body is an attack. It calls `held` when the attack has failed, with what held it; a body that ends without it fails,
 * so that the report has no empty line.
 */
export function attack(point: string, title: string, body: (held: Held) => Promise<void> | void, timeoutMs?: number): void {
  // oxlint-disable-next-line vitest/expect-expect -- the body of the attack has them
  it(
    `${point}: ${title}`,
    async ({ task }) => {
      const record: AttackRecord = { point, attack: title };
      task.meta.attack = record;
      await body((heldBy, figure) => Object.assign(record, figure === undefined ? { heldBy } : { heldBy, figure }));
      if (record.heldBy === undefined) throw new Error("the attack did not say what held it: call held()");
    },
    timeoutMs,
  );
}
