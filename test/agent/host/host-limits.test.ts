import { afterEach, describe, expect, it, vi } from "vitest";
import { memoryLimit, openFilesLimit, warnOfLimits } from "../../../src/agent/host/host-limits.ts";
import { logOf } from "../agent-under-test.ts";

const mebibyte = 1024 * 1024;
const openFiles = openFilesLimit(1)?.given;

afterEach(() => vi.restoreAllMocks());

/** What an agent with so many seats says at its start, in a cgroup of so many bytes; without a limit where none are given. */
function warningsOf(seats: number, bytes = 0): readonly unknown[] {
  vi.spyOn(process, "constrainedMemory").mockReturnValue(bytes);
  const { log, lines } = logOf();
  warnOfLimits(seats, log);
  return lines.map(({ level, msg, given, needed }) => [level, msg.split(":")[0], given, needed]);
}

describe("an agent that starts", () => {
  it.skipIf(openFiles === undefined)("warns when its seats need more open files than it may have, and not before", () => {
    const files = openFiles ?? 0;
    const seats = Math.floor((files - 128) / 8);
    expect(warningsOf(seats)).toEqual([]);
    expect(warningsOf(seats + 1)).toEqual([[40, "few files may be open for this JOB_CONCURRENCY", files, 128 + 8 * (seats + 1)]]);
  });

  it("warns when its seats need more memory than its cgroup gives, and not before", () => {
    expect(warningsOf(1, 130 * mebibyte)).toEqual([]);
    expect(warningsOf(1, 130 * mebibyte - 1)).toEqual([[40, "little memory for this JOB_CONCURRENCY", 130 * mebibyte - 1, 130 * mebibyte]]);
  });

  it.each([0, Number.MAX_SAFE_INTEGER, 2 ** 64])("takes %d bytes for no limit at all", (bytes) => {
    expect(warningsOf(1, bytes)).toEqual([]);
    expect(memoryLimit(1)).toBeNull();
  });
});
