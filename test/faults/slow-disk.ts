import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { missingPrograms } from "../support/programs.ts";

/** Why a slow disk cannot be had here, or null. */
export const noSlowDisk = missingPrograms("slow disks", "cc");

/** Environment of a process whose syncs of files below `folder` take longer. @param place where the library is built */
export function slowDisk(folder: string, syncMs: number, place: string): Record<string, string> {
  const library = join(place, "slow-disk.so");
  const source = fileURLToPath(new URL("slow-disk.c", import.meta.url));
  execFileSync("cc", ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"]);
  return { LD_PRELOAD: library, SLOW_FOLDER: folder, SLOW_SYNC_MS: String(syncMs) };
}
