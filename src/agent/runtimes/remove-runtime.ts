import { existsSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import type { RuntimeId } from "#contract/runtime-catalog.ts";
import { makeWorkFolder, removeLeftovers } from "./work-folders.ts";

/** Takes a runtime away: in one step out of the agent's sight, then off the disk. @returns whether it was there */
export async function removeRuntime(folder: string, id: RuntimeId): Promise<boolean> {
  if (!existsSync(join(folder, id))) return false;
  await rename(join(folder, id), await makeWorkFolder(folder, id, "old"));
  await removeLeftovers(folder);
  return true;
}
