import { sql } from "kysely";
import type { Engine } from "../engine.ts";
import type { Clocks } from "../installation-clock.ts";
import { InstallationClock } from "../installation-clock.ts";
import type { ClockStore } from "../storage.ts";

/** The clock goes on from where it was kept: by the time that passed meanwhile, if the wall clock says that any did. */
export async function openClock(
  engine: Engine,
  clocks: Clocks,
): Promise<{ readonly clock: InstallationClock; readonly store: ClockStore }> {
  const nowMs = wallOfStore(engine, clocks);
  const kept = await engine.reads
    .selectFrom("installation_clock")
    .select(["wait_ms", nowMs.as("now_ms"), "wall_ms"])
    .executeTakeFirst();
  const passedMs = kept === undefined ? 0 : Number(kept.now_ms) - kept.wall_ms;
  const startMs = kept === undefined ? clocks.nowMs() : kept.wait_ms + Math.max(0, passedMs);
  const clock = new InstallationClock(clocks, startMs);
  let steppedWhileAwayMs = Math.min(0, passedMs);
  return {
    clock,
    store: {
      waitMs: (nowMs) => clock.waitMs(nowMs),
      async keep() {
        const { waitMs, stepMs } = clock.look();
        const { wait_ms: keptMs } = await engine.db
          .insertInto("installation_clock")
          .values({ id: 1, wait_ms: waitMs, wall_ms: wallOfStore(engine, clocks) })
          .onConflict((conflict) =>
            conflict.column("id").doUpdateSet({
              wait_ms: sql<number>`case when excluded.wait_ms > installation_clock.wait_ms then excluded.wait_ms else installation_clock.wait_ms end`,
              wall_ms: sql<number>`excluded.wall_ms`,
            }),
          )
          .returning("wait_ms")
          .executeTakeFirstOrThrow();
        clock.catchUp(keptMs);
        const step = stepMs + steppedWhileAwayMs;
        steppedWhileAwayMs = 0;
        return step;
      },
    },
  };
}

/** All processes of one PostgreSQL take the server's clock for the time that passed while none of them ran: one of theirs may be wrong. */
function wallOfStore(engine: Engine, { nowMs }: Clocks) {
  return engine.kind !== "sqlite" ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::int8` : sql<number>`${nowMs()}`;
}
