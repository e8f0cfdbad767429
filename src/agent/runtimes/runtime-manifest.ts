import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

/** The file of a runtime's folder that is written last: a folder without it is none. */
export const manifestName = "runtime.json";

/** Where the runtime's own Node.js lies inside its folder. */
export const nodePath = "bin/node";

/** What an installed runtime is. No times and no host: the same install anywhere writes the same bytes. */
export const RuntimeManifest = z.object({
  format: z.literal(1),
  runtimeId: z.string(),
  platform: z.string().describe("system and processor that its Node.js is for, linux-x64"),
  nodeJsVersion: z.string().describe("of the Node.js that is here"),
  catalogNodeJsVersion: z.string().describe("of the Node.js that the runtime names; another one where npm has no build of it"),
  lock: z.string().describe("digest of the lock that was asked for, or `off`"),
  packages: z.record(z.string(), z.string()).describe("the catalog's packages that are here"),
  unlocked: z.array(z.string()).describe("those of them that the lock does not know: what they need was resolved on install"),
  leftOut: z.array(z.object({ package: z.string(), version: z.string(), because: z.string() })),
  withoutMain: z.array(z.string()).describe("packages without a main file: scripts load them by a path"),
  files: z.int(),
  bytes: z.int(),
});
export type RuntimeManifest = z.output<typeof RuntimeManifest>;

/** The manifest in a runtime's folder, null where there is no folder or no manifest in it. @throws what is wrong with it */
export async function readManifest(folder: string): Promise<RuntimeManifest | null> {
  try {
    return RuntimeManifest.parse(JSON.parse(await readFile(join(folder, manifestName), "utf8")));
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return null;
    throw error;
  }
}
