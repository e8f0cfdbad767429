import type { Logger } from "#daemon/logger.ts";
import type { PlaywrightConfig } from "../config.ts";
import type { AgentClock } from "../host/clock.ts";
import type { Trust } from "../net/tls.ts";
import type { PlaywrightEngine } from "../playwright/playwright-engine.ts";

export interface EngineOptions extends PlaywrightConfig {
  readonly runtimesFolder: string;
  /** Runs have their folders below it; nothing else may be there. */
  readonly dataFolder: string;
  readonly trust: Trust;
  /** Authorities of NODE_EXTRA_CA_CERTS, as PEM. */
  readonly extraCas: () => readonly string[];
  readonly log: Pick<Logger, "info" | "warn">;
  readonly clock: AgentClock;
}

export type CreateEngine = (options: EngineOptions) => Promise<PlaywrightEngine | null>;

/** The module of the engine, which an agent without such checks never loads. */
const importEngine = async (): Promise<CreateEngine | null> => null;

/** What runs scripts of browser and multistep checks; null where the settings ask for none, or nothing of it is here. */
export async function loadEngine(options: EngineOptions): Promise<PlaywrightEngine | null> {
  if (options.browserConcurrency + options.multiStepConcurrency === 0) return null;
  const createEngine = await importEngine();
  return createEngine === null ? null : createEngine(options);
}
