import { join } from "node:path";
import { type Kept, keptIn } from "./make-room.ts";

/** Folders of what is kept for later runs, below the one of suites. */
export const cacheFolders = { bundles: "bundles", packages: "packages", managers: "managers" } as const;
type Cache = keyof typeof cacheFolders;

/** What is kept for later runs. */
export type SuiteCaches = Readonly<Record<Cache, Kept>>;

/** @param dataFolder of suites */
export async function suiteCaches(dataFolder: string): Promise<SuiteCaches> {
  const { bundles, packages, managers } = cacheFolders;
  const [one, two, three] = await Promise.all([bundles, packages, managers].map((name) => keptIn(join(dataFolder, name))));
  const nothing: Kept = { entries: 0, bytes: 0 };
  return { bundles: one ?? nothing, packages: two ?? nothing, managers: three ?? nothing };
}
