import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Makes a folder, and those above it, for this user alone. One that exists is left as it is.
 *
 * Not mkdir's `recursive`: where a file system answers ENOENT to every mkdir, as /proc does, it tries for ever
 * (Node.js 26.10).
 *
 * @throws the system's error, with its code
 */
export async function makeFolder(path: string): Promise<void> {
  if (await made(path)) return;
  await makeFolder(dirname(path));
  if (!(await made(path))) throw Object.assign(new Error(`ENOENT: cannot make the folder ${path}`), { code: "ENOENT" });
}

/** False: the folder above is missing. */
async function made(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 });
    return true;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EEXIST") return true; // a file of this name is noticed by the first use of the folder
    if (code === "ENOENT" && dirname(path) !== path) return false;
    throw error;
  }
}
