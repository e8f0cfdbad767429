import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { packageManagers } from "#domain/package-managers.ts";
import type { AgentConfig } from "../config.ts";
import type { PlaywrightEngine } from "../playwright/playwright-engine.ts";
import type { Kept } from "../suites/make-room.ts";
import { suiteCaches } from "../suites/suite-caches.ts";
import type { Finding } from "./finding.ts";

const about = "suites";
const megabyte = 1024 * 1024;

/** Whether suites run here, what contains them, what they run on, and what is kept for later runs. @param ground null: nothing keeps a run apart */
export async function diagnoseSuites(
  { suites, dataFolder }: Pick<AgentConfig, "suites" | "dataFolder">,
  ground: PlaywrightEngine["suiteGround"],
): Promise<Finding> {
  const { concurrency, workers, memoryMb, registry, path, bundleCacheMb, dependencyCacheMb } = suites;
  if (concurrency === 0) return { about, verdict: "ok", text: "not wanted (SUITE_CONCURRENCY is 0)" };
  if (ground === null)
    return { about, verdict: "ok", text: "no runtime on which browser checks or multistep checks run: suites run at other agents" };
  const { level, egressWall, browser, nodes } = ground;
  const caches = await suiteCaches(join(dataFolder, "suites"));
  const wall = egressWall === "kernel" ? "the kernel holds them to the egress policy" : "only settings hold them to the egress policy";
  const here = packageManagers.filter((name) => path.split(delimiter).some((folder) => folder !== "" && existsSync(join(folder, name))));
  const text = [
    `${concurrency} at a time with ${workers} workers and ${memoryMb} MB each, level ${level}, ${wall}`,
    `${browser ?? "No Chromium"}; Node.js ${nodes.map(({ version }) => version).join(", ")}`,
    `Package managers here: ${here.length === 0 ? "none" : here.join(", ")}; others come from ${registry ?? "npm's registry"}`,
    `Kept: ${sizeText(caches.bundles, bundleCacheMb, "bundle")}, ${sizeText(caches.packages, dependencyCacheMb, "install")}`,
  ].join(". ");
  if (browser !== null) return { about, verdict: "ok", text };
  return {
    about,
    verdict: "warn",
    text,
    next: "install Chromium (apt-get install chromium-headless-shell) or set BROWSER_PATH: tests with a page fail without it",
  };
}

function sizeText({ entries, bytes }: Kept, limitMb: number, one: string): string {
  return `${entries} ${entries === 1 ? one : `${one}s`} of ${Math.ceil(bytes / megabyte)} MB (at most ${limitMb} MB)`;
}
