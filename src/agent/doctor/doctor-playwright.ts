import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { AgentConfig } from "../config.ts";
import { systemClock } from "../host/clock.ts";
import { createTrust } from "../net/tls.ts";
import type { PlaywrightEngine } from "../playwright/playwright-engine.ts";
import { loadEngine } from "../script-checks/load-engine.ts";
import { diagnoseSuites } from "./doctor-suites.ts";
import type { Finding } from "./finding.ts";

const about = "browser";
const quiet = { info: () => undefined, warn: () => undefined };

/**
 * Which multistep and browser checks, and whether suites run here, by the test that an agent makes at its start. Its folder is its own: an agent
 * may run beside it.
 */
export async function diagnosePlaywright(config: AgentConfig): Promise<readonly Finding[]> {
  const { playwright, runtimesFolder, dataFolder } = config;
  const workFolder = join(dataFolder, `browser-doctor-${randomUUID()}`);
  try {
    const options = {
      ...playwright,
      warm: 0,
      runtimesFolder,
      dataFolder: workFolder,
      trust: () => createTrust([]),
      log: quiet,
      clock: systemClock,
    };
    const engine = await loadEngine(options);
    const notWanted: Finding = { about, verdict: "ok", text: "not wanted (BROWSER_CONCURRENCY and MULTI_STEP_CONCURRENCY are 0)" };
    const found = [engine === null ? notWanted : findingOf(engine), await diagnoseSuites(config, engine?.suiteGround ?? null)];
    await engine?.close();
    return found;
  } catch (error) {
    const text = `the test of multistep and browser checks did not start: ${error instanceof Error ? error.message : String(error)}`;
    return [{ about, verdict: "warn", text, next: `make ${dataFolder} writable for this user` }];
  } finally {
    await rm(workFolder, { recursive: true, force: true });
  }
}

function findingOf({ offers, browser, level, egressWall }: PlaywrightEngine): Finding {
  if (offers.size === 0)
    return { about, verdict: "ok", text: "no runtime with Playwright is installed: multistep and browser checks run at other agents" };
  const each = [...offers].map(([id, { types, playwrightVersion }]) => {
    return `runtime ${id} (Playwright ${playwrightVersion}): ${types.length === 0 ? "none" : types.join(", ")}`;
  });
  const wall = egressWall === "kernel" ? "the kernel holds them to the egress policy" : "only settings hold them to the egress policy";
  const text = `${each.join("; ")}. ${browser ?? "No Chromium"}, level ${level}, ${wall}`;
  const limitations = [...new Set([...offers.values()].flatMap(({ limitation }) => limitation ?? []))];
  return limitations.length === 0 ? { about, verdict: "ok", text } : { about, verdict: "warn", text, next: limitations.join("; ") };
}
