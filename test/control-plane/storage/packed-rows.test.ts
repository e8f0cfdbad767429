import { expect, it } from "vitest";
import { eachRow, packPlain, packRows } from "../../../src/control-plane/storage/dialects/packed-rows.ts";

it("brings numbers, texts, bytes and null to another thread and back", () => {
  const rows = [
    [1, "a", Uint8Array.of(1, 2), null, Uint8Array.of()],
    [null, null, null, "ü", Uint8Array.of(0)],
    [-2.5, "", Uint8Array.of(255), null, null],
  ];
  const packed = structuredClone(packRows(rows, { textColumns: [1, 3], byteColumns: [2, 4] }));
  const found: unknown[] = [];
  eachRow(packed, (row) => found.push([...row]));
  expect(found).toEqual(rows);
});

it("packs rows of numbers and bytes only, and knows others", () => {
  const rows = [
    [1, null, null],
    [Number.MAX_SAFE_INTEGER, Uint8Array.of(1, 2), null],
    [-1, Uint8Array.of(), null],
    [null, Uint8Array.of(255), null],
  ];
  const packed = structuredClone(packPlain(rows));
  const found: unknown[] = [];
  if (packed) eachRow(packed, (row) => found.push([...row]));
  expect(found).toEqual(rows);
  expect(packPlain([...rows, [1, "a", null]])).toBeUndefined();
  expect(packPlain([[1n]])).toBeUndefined();
  expect(packPlain([[1], [Uint8Array.of(1)]])).toBeUndefined();
});
