import { AsyncLocalStorage } from "node:async_hooks";
import type { Kysely } from "kysely";
import type { Engine } from "./engine.ts";
import { type Memory, newMemory, noMemory } from "./memory.ts";
import type { Tables, Trx } from "./schema.ts";

interface Joint {
  readonly trx: Trx;
  readonly memory: Memory;
  /** What others are told once all of it is stored. */
  readonly afterwards: (() => void)[];
  /** What goes on in the background after it has ended is no part of it. */
  isOpen: boolean;
}

/** Lets calls of several stores be one transaction. */
export interface JointTransactions {
  /** The same engine, whose reads and transactions join the one that is open around them. */
  readonly engine: Engine;
  /**
   * All that stores do within `work` is stored, or nothing of it. May run `work` again, as `Engine.transaction` does. Calls within it come one
   * after another: they share a connection.
   */
  readonly together: <T>(work: () => Promise<T>) => Promise<T>;
  /** Within `together` `work` waits until all is stored; elsewhere it is done at once. */
  readonly afterwards: (work: () => void) => void;
}

export function jointTransactions(engine: Engine): JointTransactions {
  const joints = new AsyncLocalStorage<Joint>();
  const current = (): Joint | undefined => {
    const joint = joints.getStore();
    return joint?.isOpen === true ? joint : undefined;
  };
  const joined = (db: Kysely<Tables>): Kysely<Tables> =>
    new Proxy(db, {
      get(_target, name) {
        const chosen = current()?.trx ?? db;
        const member: unknown = Reflect.get(chosen, name, chosen);
        return typeof member === "function" ? member.bind(chosen) : member;
      },
    });
  return {
    engine: {
      ...engine,
      db: joined(engine.db),
      reads: joined(engine.reads),
      get memory() {
        return current()?.memory ?? noMemory;
      },
      transaction(work) {
        const joint = current();
        return joint === undefined ? engine.transaction(work) : work(joint.trx);
      },
    },
    async together(work) {
      if (current() !== undefined) return work();
      let told: readonly (() => void)[] = [];
      const answer = await engine.transaction(async (trx) => {
        const joint: Joint = { trx, memory: newMemory(), afterwards: [], isOpen: true };
        told = joint.afterwards;
        try {
          return await joints.run(joint, work);
        } finally {
          joint.isOpen = false;
        }
      });
      for (const tell of told) tell();
      return answer;
    },
    afterwards(work) {
      const joint = current();
      if (joint === undefined) work();
      else joint.afterwards.push(work);
    },
  };
}
