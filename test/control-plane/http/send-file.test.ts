import { describe, expect, it } from "vitest";
import { rangeOf } from "../../../src/control-plane/http/send-file.ts";

describe("the part of a file that a Range header asks for", () => {
  it.each([
    { header: undefined, size: 10, range: null },
    { header: "bytes=0-3", size: 10, range: [0, 4] },
    { header: "bytes=0-", size: 10, range: [0, 10] },
    { header: "bytes=9-9", size: 10, range: [9, 10] },
    { header: "bytes=4-400", size: 10, range: [4, 10] },
    { header: "bytes=-3", size: 10, range: [7, 10] },
    { header: "bytes=-30", size: 10, range: [0, 10] },
    { header: "bytes=10-", size: 10, range: "beyond" },
    { header: "bytes=-0", size: 10, range: "beyond" },
    { header: "bytes=0-", size: 0, range: "beyond" },
    { header: "bytes=5-4", size: 10, range: null },
    { header: "bytes=0-1,4-5", size: 10, range: null },
    { header: "lines=0-1", size: 10, range: null },
    { header: "bytes=-", size: 10, range: null },
    { header: "bytes=99999999999999999999-", size: 10, range: null },
  ])("$header of $size bytes: $range", ({ header, size, range }) => {
    expect(rangeOf(header, size)).toEqual(range);
  });
});
