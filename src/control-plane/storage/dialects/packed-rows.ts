import type { SQLInputValue } from "node:sqlite";

/**
 * Rows on their way to or from a SQLite thread: all numbers in one array and all bytes in another, whose memory is handed over, and the
 * texts beside them. Cloned as arrays of arrays they cost the main thread three times as much.
 */
export interface PackedRows {
  /** Numbers of one row after another; how long the bytes are that stand there; not a number for null and for texts. */
  readonly numbers: Float64Array<ArrayBuffer>;
  readonly width: number;
  /** Columns that hold texts, and their values row by row. */
  readonly textColumns: readonly number[];
  readonly texts: readonly (string | null)[];
  /** Columns that hold bytes, and their values row by row. */
  readonly byteColumns: readonly number[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

type Value = number | string | Uint8Array | null;

/** What columns hold: texts, bytes or numbers, or null. */
export function packRows(
  rows: readonly (readonly Value[])[],
  columns: { readonly textColumns: readonly number[]; readonly byteColumns: readonly number[] },
): PackedRows {
  const width = rows[0]?.length ?? 0;
  const numbers = new Float64Array(rows.length * width);
  let at = 0;
  for (const row of rows) {
    for (let column = 0; column < width; column += 1) {
      const value = row[column];
      numbers[at++] = typeof value === "number" ? value : value instanceof Uint8Array ? value.length : Number.NaN;
    }
  }
  const texts = rows.flatMap((row) => columns.textColumns.map((column) => row[column] as string | null));
  const parts = rows.flatMap((row) => columns.byteColumns.map((column) => row[column]).filter((value) => value instanceof Uint8Array));
  return { numbers, width, ...columns, texts, bytes: joined(parts) };
}

/** Undefined when a value is neither a number nor bytes nor null, or a column has both numbers and bytes. */
export function packPlain(rows: readonly (readonly unknown[])[]): PackedRows | undefined {
  const columns = Array.from({ length: rows[0]?.length ?? 0 }, (_, column) => kindOf(rows, column));
  if (columns.includes("other")) return undefined;
  const byteColumns = [...columns.keys()].filter((column) => columns[column] === "bytes");
  return packRows(rows as readonly (readonly Value[])[], { textColumns: [], byteColumns }); // has just been looked at
}

function kindOf(rows: readonly (readonly unknown[])[], column: number): "numbers" | "bytes" | "other" {
  const first = rows.find((row) => row[column] !== null)?.[column];
  if (first === undefined || typeof first === "number") return rows.every((row) => isNumber(row[column])) ? "numbers" : "other";
  return rows.every((row) => row[column] instanceof Uint8Array || row[column] === null) ? "bytes" : "other";
}

function isNumber(value: unknown): boolean {
  return typeof value === "number" || value === null;
}

/** What need not be copied on the way to another thread. */
export function memoryOf({ numbers, bytes }: PackedRows): readonly ArrayBuffer[] {
  return [numbers.buffer, bytes.buffer];
}

/** Calls `each` once per row, with an array that is used again for the next row. */
export function eachRow(packed: PackedRows, each: (row: readonly SQLInputValue[]) => void): void {
  const { numbers, width, textColumns, texts, byteColumns, bytes } = packed;
  const row: SQLInputValue[] = Array.from({ length: width }, () => null);
  let text = 0;
  let byte = 0;
  for (let at = 0; at < numbers.length; at += width) {
    for (let column = 0; column < width; column += 1) {
      const value = numbers[at + column] ?? Number.NaN;
      row[column] = Number.isNaN(value) ? null : value;
    }
    for (const column of textColumns) row[column] = texts[text++] ?? null;
    for (const column of byteColumns) {
      const length = row[column];
      if (typeof length !== "number") continue;
      row[column] = bytes.subarray(byte, byte + length);
      byte += length;
    }
    each(row);
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
