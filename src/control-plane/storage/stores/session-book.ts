import type { Selectable } from "kysely";
import { hasEnded, type SessionStatus, sessionStatus } from "#domain/session-status.ts";
import type { Engine } from "../engine.ts";
import type { Tables, Trx } from "../schema.ts";
import { advanceGroupRuns } from "./group-runs.ts";

type Row = Selectable<Tables["sessions"]>;
/** How many of the session's jobs ended how, and how many attempts are tried again. */
export type SessionChange = Partial<Record<"passed" | "degraded" | "failed" | "missed" | "cancelled" | "retried", number>>;

const columns = {
  no: "int8",
  status: "text",
  passed: "int8",
  degraded: "int8",
  failed: "int8",
  missed: "int8",
  cancelled: "int8",
  retried: "int8",
  stopped_at: "int8",
} as const;

/** What the end of sessions came to. */
export interface SessionEnds {
  readonly ended: readonly number[];
  /** Locations with jobs of sessions whose turn has come. */
  readonly dueAt: readonly number[];
}

/** Sessions of one transaction: locked, counted in memory, written once. */
export class SessionBook {
  readonly #rows: Map<number, Row>;
  readonly #changed = new Set<number>();
  readonly #ended: number[] = [];
  #nowMs = 0;

  private constructor(rows: readonly Row[]) {
    this.#rows = new Map(rows.map((row) => [row.no, row]));
  }

  static async open(engine: Engine, trx: Trx, nos: readonly number[]): Promise<SessionBook> {
    return new SessionBook(
      await engine.lockRows(trx.selectFrom("sessions").selectAll().where(engine.isAny("no", nos)).orderBy("no")).execute(),
    );
  }

  of(no: number): Row | undefined {
    return this.#rows.get(no);
  }

  change(no: number, change: SessionChange, nowMs: number): void {
    const row = this.#rows.get(no);
    if (!row) return;
    this.#nowMs = nowMs;
    const next = { ...row };
    for (const [name, by] of Object.entries(change) as [keyof SessionChange, number][]) next[name] += by;
    const status = statusOf(next);
    if (hasEnded(status) && row.stopped_at === null) {
      next.stopped_at = nowMs;
      this.#ended.push(no);
    }
    next.status = status;
    this.#rows.set(no, next);
    this.#changed.add(no);
  }

  /** Also lets the next sessions of group runs start. */
  async write(engine: Engine, trx: Trx): Promise<SessionEnds> {
    const rows = [...this.#changed].toSorted((a, b) => a - b).flatMap((no) => this.#rows.get(no) ?? []);
    await engine.updateMany(
      trx,
      "sessions",
      1,
      columns,
      rows.map((row) => [row.no, row.status, row.passed, row.degraded, row.failed, row.missed, row.cancelled, row.retried, row.stopped_at]),
    );
    const inGroupRuns = this.#ended.flatMap((no) => {
      const groupRun = this.#rows.get(no)?.group_run ?? null;
      return groupRun === null ? [] : { no, groupRun };
    });
    return { ended: this.#ended, dueAt: await advanceGroupRuns(engine, trx, inGroupRuns, this.#nowMs) };
  }
}

/** An attempt that is tried again shows as a failure until the end tells. */
function statusOf(row: Row): SessionStatus {
  const status = sessionStatus({ ...row, begun: true });
  return row.retried > 0 && !hasEnded(status) ? "PROGRESS_FAILED" : status;
}
