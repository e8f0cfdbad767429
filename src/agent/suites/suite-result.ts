import type { PlaywrightCheckResult } from "#contract/checks/playwright.ts";
import { consoleOf, pagesOf, requestsOf, summaryOf } from "../playwright/pages.ts";
import type { KeptFile } from "../playwright/run-files.ts";
import type { Remains, Told } from "../playwright/run-result.ts";
import type { FoundFile } from "../runners/check-runner.ts";
import type { EgressWall, SandboxLevel } from "../sandbox/sandbox.ts";

export interface AroundRun {
  readonly browser: string | null;
  readonly level: SandboxLevel;
  readonly egressWall: EgressWall;
  readonly node: string;
  readonly preparationMs: PlaywrightCheckResult["preparationMs"];
  readonly packageManager: string | null;
  readonly cachedPackages: boolean;
}

/** A suite's run in the contract's words. */
export function suiteResult(
  { report, seen, files }: Remains,
  { outcome: _outcome, ...told }: Told,
  written: readonly FoundFile[],
  around: AroundRun,
): PlaywrightCheckResult {
  const namesOf = (kind: KeptFile["kind"]): string[] => files.filter((file) => file.kind === kind).map(({ name }) => name);
  const pages = pagesOf(seen);
  return {
    ...told,
    runtimeVersion: `Node.js ${around.node}`,
    playwrightVersion: report.version,
    jobAssets: [...files, ...written].map(({ name }) => name),
    playwrightTestVideos: namesOf("video"),
    playwrightTestTraces: namesOf("trace"),
    playwrightTraceFiles: [],
    requests: requestsOf(seen, pages, told.steps, told.startTime),
    sandboxLevel: around.level,
    scriptEgress: around.egressWall,
    browserVersion: around.browser ?? "",
    pages,
    traceSummary: summaryOf(seen),
    console: consoleOf(seen, pages, told.startTime),
    preparationMs: around.preparationMs,
    packageManager: around.packageManager,
    cachedPackages: around.cachedPackages,
  };
}

/** Of a run that never came to its tests. */
export function emptyResult(time: number): PlaywrightCheckResult {
  return {
    startTime: time,
    endTime: time,
    runtimeVersion: "",
    playwrightVersion: "",
    errors: [],
    jobLog: [],
    jobAssets: [],
    playwrightTestVideos: [],
    playwrightTestTraces: [],
    playwrightTraceFiles: [],
    tests: [],
    steps: [],
    requests: [],
    sandboxLevel: 0,
    scriptEgress: "process",
    browserVersion: "",
    pages: [],
    traceSummary: { consoleErrors: 0, networkErrors: 0, documentErrors: 0, userScriptErrors: 0 },
    console: [],
    preparationMs: { bundle: 0, packages: 0 },
    packageManager: null,
    cachedPackages: false,
  };
}
