import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files that take longest on an idle machine, those that mostly wait beside those that compute: begun first, they end while there is still other
 * work. Vitest knows only how large files are, and would leave a short one that waits for a minute to the end.
 */
export const longest: readonly string[] = [
  "e2e/outage-minute",
  "browser/pages",
  "agent/playwright/endings",
  "agent/playwright/browser",
  "e2e/playwright-checks",
  "attacks/console-forms",
  "agent/sandbox/endings",
  "e2e/artifacts",
  "charts/tools",
  "e2e/canary",
  "agent/bad-input",
  "e2e/up",
  "charts/control-plane-values",
  "e2e/outage",
  "agent/local-run/run",
  "e2e/postgres-killed",
  "agent/runtimes/install-runtime",
  "agent/runners/icmp/loss",
  "images/rolling-replace",
  "project/release",
  "agent/runners/icmp/answers",
  "charts/api-server",
  "agent/net/dial-network",
  "charts/agent-values",
  "images/containers",
  "control-plane/commands",
];

/** The usual order, but for the files above. Files of one project stay together, as only then a worker goes on with what it has loaded. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files);
    const byProject = [...Map.groupBy(usual, ({ project }) => project.name).values()];
    return byProject.flatMap((ofProject) => ofProject.toSorted((a, b) => placeOf(a) - placeOf(b)));
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = longest.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return place === -1 ? longest.length : place;
}
