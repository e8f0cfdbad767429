import { constants } from "node:fs";
import { open, opendir, realpath } from "node:fs/promises";
import { join, relative } from "node:path";
import { BaselineName, baselineLimits } from "#contract/agent-baselines.ts";

/** A picture that screenshots are compared with, in base64, by the path that Playwright gave it. */
export interface TakenPicture {
  readonly name: string;
  readonly data: string;
}

const mostEntries = 2_000;
const mostPictures = 200;
const png = Buffer.from("89504e470d0a1a0a", "hex");

/** The pictures that a run took where it was given none. It is dead, and wrote what is there: only regular files of its own folder are read. */
export async function takenPictures(runFolder: string, given: ReadonlySet<string>): Promise<TakenPicture[]> {
  const folder = join(await realpath(runFolder), "work/__snapshots__");
  const taken: TakenPicture[] = [];
  for (const path of await filesIn(folder)) {
    const name = relative(folder, path);
    if (given.has(name) || taken.length >= mostPictures || !BaselineName.shape.name.safeParse(name).success) continue;
    const bytes = await pictureAt(path);
    if (bytes !== null) taken.push({ name, data: bytes.toString("base64") });
  }
  return taken;
}

async function filesIn(folder: string): Promise<string[]> {
  if ((await realpath(folder).catch(() => null)) !== folder) return []; // it has none, or a link leads elsewhere
  const [files, folders] = [[] as string[], [folder]];
  let entries = 0;
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for await (const entry of await opendir(next)) {
      if ((entries += 1) > mostEntries) return files;
      if (entry.isDirectory()) folders.push(join(next, entry.name));
      else if (entry.isFile()) files.push(join(next, entry.name));
    }
  }
  return files.toSorted();
}

async function pictureAt(path: string): Promise<Buffer | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => null);
  if (file === null) return null;
  try {
    const about = await file.stat();
    if (!about.isFile() || about.nlink !== 1 || about.size > baselineLimits.pictureBytes) return null;
    const bytes = await file.readFile();
    return bytes.subarray(0, png.length).equals(png) ? bytes : null;
  } finally {
    await file.close();
  }
}
