import { monitorEventLoopDelay } from "node:perf_hooks";
import { ApiCheckSettings } from "#contract/checks/api.ts";
import { judgedRun } from "../../../../src/agent/judgement/judged-run.ts";
import { createTrust } from "../../../../src/agent/net/tls.ts";
import { createApiRunner } from "../../../../src/agent/runners/api/api-runner.ts";
import { runContext } from "../../../support/run-context.ts";

/** What one check of a hostile target cost an agent's process. */
export interface Harm {
  readonly code: string | null;
  readonly errorMessage: string | null;
  /** Highest resident memory over what an everyday check needed before. */
  readonly memoryMb: number;
  readonly loopDelayMs: number;
  readonly elapsedMs: number;
  /** The everyday check still works afterwards. */
  readonly isUnharmed: boolean;
}

/** A process of its own, so that its highest memory is that of the check: `hostile-child.ts <everyday URL> <request as JSON>`. */
const [everyday = "", hostile = "{}"] = process.argv.slice(2);
const trust = createTrust([]);
const runner = createApiRunner(() => trust);
const settings = (request: object) =>
  ApiCheckSettings.parse({ request: { method: "GET", ...request }, degradedResponseTime: null, maxResponseTime: null });
const check = (request: object) => judgedRun("API", runner, settings(request), runContext());

for (let warm = 0; warm < 20; warm += 1)
  await check({ url: everyday, assertions: [{ source: "JSON_BODY", property: "$.ok", comparison: "EQUALS", target: "1" }] });
const beforeKb = process.resourceUsage().maxRSS;
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
const startMs = performance.now();
const { observation, verdict } = await check(JSON.parse(hostile) as object);
const elapsedMs = performance.now() - startMs;
await new Promise((resolve) => setTimeout(resolve, 5));
delay.disable();
const memoryMb = (process.resourceUsage().maxRSS - beforeKb) / 1024;
const after = await check({ url: everyday });
const harm: Harm = {
  code: observation.failure?.code ?? null,
  errorMessage: verdict.errorMessage,
  memoryMb,
  loopDelayMs: delay.max / 1e6,
  elapsedMs,
  isUnharmed: !after.verdict.hasFailures,
};
process.stdout.write(JSON.stringify(harm));
