import { Sketch } from "#domain/statistics/sketch.ts";
import { ByteReader, ByteWriter } from "#domain/statistics/varints.ts";
import { metricColumns, Tally } from "./tally.ts";

/*
 * The figures of one hour or day of a check are one row. `cells` holds for each (location, status code, outcome) that occurred: the
 * location's id, `2 · status code + failed` (`-1 - status code` for degraded ones, which older rows have among those that passed), how many
 * FINAL and how many ATTEMPT results; the column of each metric one sketch for each cell, in the same order. Rows written one after another are a row again, so that the engine can bring them together.
 */

/** What results are told apart by. `status` 0: none. */
export interface Cell {
  readonly locationId: number;
  readonly status: number;
  readonly failed: boolean;
  /** Never with `failed`. */
  readonly degraded: boolean;
}

/** The bytes of one row, or of several: cells and metrics as asked for. */
export interface RollupBytes {
  readonly cells: Uint8Array;
  readonly metrics: readonly Uint8Array[];
}

/** Figures of one hour or day by cell, on their way into a row. */
export class PeriodFigures {
  readonly #cells = new Map<string, { readonly cell: Cell; readonly tally: Tally }>();

  get isEmpty(): boolean {
    return this.#cells.size === 0;
  }

  tallyOf(cell: Cell): Tally {
    const key = `${cell.locationId}.${tagOf(cell)}`;
    const known = this.#cells.get(key);
    if (known) return known.tally;
    const tally = new Tally(metricColumns, () => new Sketch());
    this.#cells.set(key, { cell, tally });
    return tally;
  }

  encode(): RollupBytes {
    const cells = new ByteWriter();
    const metrics = metricColumns.map(() => new ByteWriter());
    for (const { cell, tally } of this.#cells.values()) {
      cells.unsigned(cell.locationId);
      cells.signed(tagOf(cell));
      cells.unsigned(tally.runs);
      cells.unsigned(tally.retries);
      for (const [index, writer] of metrics.entries()) tally.metrics[index]?.encode(writer);
    }
    return { cells: cells.take(), metrics: metrics.map((writer) => writer.take()) };
  }
}

/**
 * Adds what stored rows hold to tallies whose metrics are those of `bytes`, in the same order.
 *
 * @param tallyOf undefined for a cell that does not count
 * @throws {RangeError} when the bytes are damaged
 */
export function mergeRollups(bytes: RollupBytes, tallyOf: (cell: Cell) => Tally | undefined): void {
  const cells = new ByteReader(bytes.cells);
  const metrics = bytes.metrics.map((one) => new ByteReader(one));
  while (!cells.isAtEnd) {
    const cell = readCell(cells);
    const [runs, retries] = [cells.unsigned(), cells.unsigned()];
    const tally = tallyOf(cell);
    let index = 0; // `entries()` would make thousands of pairs
    for (const reader of metrics) (tally?.metrics[index++] ?? new Sketch({ hasBuckets: false })).merge(reader);
    if (!tally) continue;
    tally.runs += runs;
    tally.retries += retries;
    if (!cell.failed) tally.passed += runs;
    if (cell.degraded) tally.degraded += runs;
  }
  if (!metrics.every((reader) => reader.isAtEnd)) throw new RangeError("stored figures are damaged");
}

/** Ids of the locations in stored rows. */
export function locationsIn({ cells: bytes }: RollupBytes): ReadonlySet<number> {
  const ids = new Set<number>();
  for (const cells = new ByteReader(bytes); !cells.isAtEnd; cells.unsigned(), cells.unsigned()) ids.add(readCell(cells).locationId);
  return ids;
}

function readCell(cells: ByteReader): Cell {
  const locationId = cells.unsigned();
  const tag = cells.signed();
  if (tag < 0) return { locationId, status: -1 - tag, failed: false, degraded: true };
  return { locationId, status: Math.floor(tag / 2), failed: tag % 2 !== 0, degraded: false };
}

function tagOf({ status, failed, degraded }: Cell): number {
  return degraded ? -1 - status : 2 * status + Number(failed);
}
