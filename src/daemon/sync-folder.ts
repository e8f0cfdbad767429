import { open } from "node:fs/promises";

/** The name of a new file survives a power cut only when its folder is on disk, too. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
