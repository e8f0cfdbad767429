import { dirname, join } from "node:path/posix";
import { type ResultOf, type SettingsOf, scriptLimitMs } from "#contract/checks/index.ts";
import { AppError } from "#domain/app-error.ts";
import { fittingResult } from "../playwright/fitting-result.ts";
import type { PlaywrightEngine, PlaywrightRun, PlaywrightTask, PlaywrightType } from "../playwright/playwright-engine.ts";
import type { CheckRunner, Observation, RunContext } from "../runners/check-runner.ts";
import { aboutBrowsers, givenBaselines, keepPictures, majorOf } from "./screenshot-baselines.ts";
import { scriptMetrics } from "./script-metrics.ts";

/** Where a script stands whose check does not say. */
const usualPath = "check.spec.ts";

/** @param engine null where this agent has no Playwright: each run then says what brings it */
export function createPlaywrightRunner<T extends PlaywrightType>(type: T, engine: PlaywrightEngine | null): CheckRunner<T> {
  return {
    async run(settings, context) {
      const task = taskOf(type, settings, context);
      const able = offering(engine, task);
      const browser = majorOf(able.browser);
      const given = await givenBaselines(task, browser, context);
      const run = await able.run({ ...task, baselines: given.pictures, isCodeNamed: given.isCodeNamed }, context);
      const unkept = await keepPictures(run, browser, context);
      const { jobLog, errors, endTime: time } = run.result;
      const noted = unkept === null ? jobLog : [...jobLog.slice(0, -1), { time, level: "WARN" as const, msg: unkept }];
      return observationOf({ ...run, result: { ...run.result, jobLog: noted, errors: aboutBrowsers(errors, given, browser) } });
    },
  };
}

/** @throws {AppError} where the script does not run here, with what would change that */
function offering<T extends PlaywrightType>(engine: PlaywrightEngine | null, { type, runtimeId }: PlaywrightTask<T>): PlaywrightEngine {
  const offer = engine?.offers.get(runtimeId);
  if (engine === null || offer === undefined)
    throw new AppError(
      "not_found",
      `${type} on runtime ${runtimeId} does not run at this agent: outpost runtime install ${runtimeId}, then start the agent again`,
    );
  if (offer.types.includes(type)) return engine;
  const why = offer.limitation ?? "outpost doctor says what is missing";
  throw new AppError("forbidden", `${type} on runtime ${runtimeId} does not run at this agent: ${why}`);
}

/** @throws {AppError} */
function taskOf<T extends PlaywrightType>(
  type: T,
  settings: SettingsOf<T>,
  { script: around, certificates }: RunContext,
): PlaywrightTask<T> {
  if (around === undefined || around.runtimeId === null) throw new Error("a script was run without what it needs");
  const { script, scriptPath, dependencies } = settings;
  const path = scriptPath ?? usualPath;
  const snippets = Object.entries(around.snippets).map(([name, content]) => ({
    path: join(dirname(path), "snippets", fileOf(name)),
    content,
  }));
  const files = [...(dependencies ?? []), ...snippets];
  return {
    type,
    runtimeId: around.runtimeId,
    script: script ?? "",
    scriptPath: path,
    files,
    environment: around.environment,
    secrets: around.secrets,
    certificates: certificates ?? [],
    limitMs: scriptLimitMs,
    keepsAll: false,
    baselines: [],
  };
}

function fileOf(snippet: string): string {
  return /\.[cm]?[jt]s$/.test(snippet) ? snippet : `${snippet}.js`;
}

function observationOf<T extends PlaywrightType>(run: PlaywrightRun<T>): Observation<T> {
  const { startedMs, stoppedMs, responseTimeMs, outcome, failure, files } = run;
  const { playwrightTestJsonReportFile: report, ...told } = run.result;
  const result = { ...told, ...(report !== null && { playwrightTestJsonReportFile: report }) } as ResultOf<T>; // the run's own type, less a null
  return {
    startedMs,
    stoppedMs,
    responseTimeMs,
    statusCode: null,
    metrics: scriptMetrics(run.result),
    failure,
    facts: { statusCode: null, responseTimeMs, headers: {}, text: () => "" },
    result: fittingResult(result),
    outcome,
    files,
  };
}
