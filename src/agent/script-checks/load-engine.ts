import type { Logger } from "#daemon/logger.ts";
import type { PlaywrightConfig } from "../config.ts";
import type { AgentClock } from "../host/clock.ts";
import type { Trust } from "../net/tls.ts";
import type { PlaywrightEngine } from "../playwright/playwright-engine.ts";

export interface EngineOptions extends PlaywrightConfig {
  readonly runtimesFolder: string;
  /** Where runs have their folders. */
  readonly workFolder: string;
  readonly trust: Trust;
  /** Authorities of NODE_EXTRA_CA_CERTS, PEM. */
  readonly extraCas?: () => readonly string[];
  readonly log: Pick<Logger, "info" | "warn">;
  readonly clock: AgentClock;
}

/**
 * What runs scripts of browser and multistep checks; null where the settings ask for none. Its code is loaded then only: an agent without such checks
 * pays nothing.
 */
export async function loadEngine(options: EngineOptions): Promise<PlaywrightEngine | null> {
  const { browserConcurrency, multiStepConcurrency, workFolder, memoryBytes, egress, screenshots, ...rest } = options;
  if (browserConcurrency + multiStepConcurrency === 0) return null;
  const { createPlaywrightEngine } = await import("../playwright/create-playwright-engine.ts");
  return createPlaywrightEngine({
    ...rest,
    browserConcurrency,
    multiStepConcurrency,
    dataFolder: workFolder,
    memoryMb: memoryBytes / (1024 * 1024),
    wantedWall: egress,
    hasScreenshots: screenshots,
  });
}
