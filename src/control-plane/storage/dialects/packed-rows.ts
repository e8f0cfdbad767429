import type { SQLInputValue } from "node:sqlite";

/**
 * Rows of one statement on their way to a SQLite thread: all numbers in one array, whose memory is handed over, and the texts beside it.
 * Cloned as arrays of arrays they cost the main thread three times as much.
 */
export interface PackedRows {
  /** Numbers of one row after another; not a number where the value is null or a text. */
  readonly numbers: Float64Array<ArrayBuffer>;
  readonly width: number;
  /** Columns that hold texts, and their values row by row. */
  readonly textColumns: readonly number[];
  readonly texts: readonly (string | null)[];
}

/** @param textColumns positions of the columns that hold texts or null; the others hold numbers or null */
export function packRows(rows: readonly (readonly (number | string | null)[])[], textColumns: readonly number[]): PackedRows {
  const width = rows[0]?.length ?? 0;
  const numbers = new Float64Array(rows.length * width);
  let at = 0;
  for (const row of rows) {
    for (let column = 0; column < width; column += 1) {
      const value = row[column];
      numbers[at++] = typeof value === "number" ? value : Number.NaN;
    }
  }
  const texts = rows.flatMap((row) => textColumns.map((column) => row[column] as string | null));
  return { numbers, width, textColumns, texts };
}

/** Calls `each` once per row, with an array that is used again for the next row. */
export function eachRow({ numbers, width, textColumns, texts }: PackedRows, each: (row: readonly SQLInputValue[]) => void): void {
  const row: SQLInputValue[] = Array.from({ length: width }, () => null);
  let text = 0;
  for (let at = 0; at < numbers.length; at += width) {
    for (let column = 0; column < width; column += 1) {
      const value = numbers[at + column] ?? Number.NaN;
      row[column] = Number.isNaN(value) ? null : value;
    }
    for (const column of textColumns) row[column] = texts[text++] ?? null;
    each(row);
  }
}
