import { existsSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { readBeginning } from "./run-files.ts";

/** A revision becomes part of a path, and the file may be a tenant's. */
const Revision = z.string().regex(/^\d{1,8}$/);
const Browsers = z.object({ browsers: z.array(z.object({ name: z.string(), revision: z.unknown() })) });
const mostBytes = 1024 * 1024;

/** Where versions of Playwright look for a program in a folder of its own. */
const places = { chromium: ["chrome-linux/chrome", "chrome-linux64/chrome"], ffmpeg: ["ffmpeg-linux"] } as const;

/**
 * Puts a program of this machine where a runtime's Playwright looks for its own; nothing where its list of browsers cannot be read.
 *
 * @param toolsFolder its `PLAYWRIGHT_BROWSERS_PATH`
 */
export async function linkProgram(name: keyof typeof places, program: string, runtimeFolder: string, toolsFolder: string): Promise<void> {
  const revision = await revisionOf(name, runtimeFolder);
  if (revision === null) return;
  const folder = join(toolsFolder, `${name}-${revision}`);
  for (const place of places[name]) {
    await mkdir(dirname(join(folder, place)), { recursive: true });
    await symlink(program, join(folder, place)).catch(() => {}); // it is there
  }
  await writeFile(join(folder, "INSTALLATION_COMPLETE"), "", { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
}

async function revisionOf(name: string, runtimeFolder: string): Promise<string | null> {
  const file = ["playwright/node_modules/playwright-core", "playwright-core"]
    .map((folder) => join(runtimeFolder, "node_modules", folder, "browsers.json"))
    .find((path) => existsSync(path));
  if (file === undefined) return null;
  const found = Browsers.safeParse(parsed(await readBeginning(file, mostBytes))).data?.browsers.find((one) => one.name === name);
  return Revision.safeParse(found?.revision).data ?? null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
