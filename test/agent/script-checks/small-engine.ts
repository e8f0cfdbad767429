import type {
  PlaywrightContext,
  PlaywrightEngine,
  PlaywrightRun,
  PlaywrightTask,
} from "../../../src/agent/playwright/playwright-engine.ts";
import { prepareTask } from "../../../src/agent/playwright/task.ts";
import { checkDetails } from "../../support/check-details.ts";

type Told = Partial<Pick<PlaywrightRun, "outcome" | "failure" | "files" | "responseTimeMs">> & { readonly result?: object };

/** An engine that starts nothing, and refuses what the other one refuses: it tells what it is asked to tell of each task. */
export function smallEngine(
  tell: (task: PlaywrightTask, signal: AbortSignal, onProgress: PlaywrightContext["onProgress"]) => Told | Promise<Told>,
): PlaywrightEngine & { readonly tasks: PlaywrightTask[] } {
  const tasks: PlaywrightTask[] = [];
  return {
    tasks,
    offers: new Map([
      ["2026.04", { types: ["MULTI_STEP", "BROWSER"], playwrightVersion: "1.58.2", limitation: null }],
      ["2023.02", { types: ["BROWSER"], playwrightVersion: "1.28.0", limitation: "multistep checks came with 2023.09" }],
    ]),
    browser: "chromium/156.0.8078.79",
    level: 2,
    egressWall: "kernel",
    suiteGround: null,
    async run(task, { signal, monotonicMs, onProgress }) {
      prepareTask({ ...task, certificates: [] }); // tests make theirs up
      tasks.push(task);
      const startedMs = monotonicMs();
      const { result, ...told } = await tell(task, signal, onProgress);
      const whole = { playwrightTestJsonReportFile: null, ...checkDetails[task.type], ...result };
      const seen = { startedMs, stoppedMs: monotonicMs(), responseTimeMs: 1_000, outcome: "passed", failure: null, files: [], ...told };
      return { ...seen, result: whole } as never; // of the type of the task
    },
    state: () => ({ running: 0, waiting: 0, warm: 0, left: 0 }),
    close: () => Promise.resolve(),
  };
}
