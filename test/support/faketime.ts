import { globSync } from "node:fs";

const library = globSync("/usr/lib/{*/faketime,faketime}/libfaketimeMT.so.1")[0];

/** Why clocks cannot be set here, or null. */
export const noFaketime: string | null = library === undefined ? "libfaketime is not installed" : null;

/** Variables that set the wall clock of a process by `offset` (`+1d`, `-1d`) and leave its monotonic clock alone. */
export function clockAt(offset: string): Record<string, string> {
  return { LD_PRELOAD: library ?? "", FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: "1", FAKETIME_DONT_RESET: "1" };
}

/** The same, by a file that holds the offset and may change while the process runs. @param staleSeconds how long it may go by what it read; 0: it reads at each look */
export function clockBy(file: string, staleSeconds = 0): Record<string, string> {
  const reading: Record<string, string> =
    staleSeconds === 0 ? { FAKETIME_NO_CACHE: "1" } : { FAKETIME_CACHE_DURATION: String(staleSeconds) };
  return { LD_PRELOAD: library ?? "", FAKETIME_TIMESTAMP_FILE: file, FAKETIME_DONT_FAKE_MONOTONIC: "1", ...reading };
}
