import { existsSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";

const Browsers = z.object({ browsers: z.array(z.object({ name: z.string(), revision: z.string() })) });

/** Where versions of Playwright look for a program in a folder of its own. */
const places = { chromium: ["chrome-linux/chrome", "chrome-linux64/chrome"], ffmpeg: ["ffmpeg-linux"] } as const;

/** Puts a program of this machine where a runtime's Playwright looks for its own. @param toolsFolder its `PLAYWRIGHT_BROWSERS_PATH` */
export async function linkProgram(name: keyof typeof places, program: string, runtimeFolder: string, toolsFolder: string): Promise<void> {
  const modules = join(runtimeFolder, "node_modules");
  const file = ["playwright/node_modules/playwright-core", "playwright-core"]
    .map((folder) => join(modules, folder, "browsers.json"))
    .find((path) => existsSync(path));
  if (file === undefined) return;
  const revision = Browsers.safeParse(JSON.parse(await readFile(file, "utf8"))).data?.browsers.find((one) => one.name === name)?.revision;
  if (revision === undefined) return;
  const folder = join(toolsFolder, `${name}-${revision}`);
  for (const place of places[name]) {
    await mkdir(dirname(join(folder, place)), { recursive: true });
    await symlink(program, join(folder, place)).catch(() => {}); // it is there
  }
  await writeFile(join(folder, "INSTALLATION_COMPLETE"), "");
}
