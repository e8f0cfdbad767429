import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files of half a minute and more. Those that mostly wait stand between those that compute, so that three that compute seldom share two processors:
 * begun first, they end while there is still other work. Vitest knows only how large files are, and would leave a short one that waits for a minute to
 * the end.
 */
export const longest: readonly string[] = [
  "faults/clocks",
  "e2e/canary",
  "agent/agentic/agentic-runner",
  "agent/playwright/endings",
  "attacks/console-forms",
  "e2e/playwright-checks",
  "e2e/suites",
  "agent/runners/traceroute/traceroute-network",
  "browser/pages",
  "agent/playwright/faults",
  "agent/suites/suites",
  "attacks/alert-floods",
  "agent/playwright/browser",
  "faults/power-cut",
  "e2e/artifacts",
  "attacks/tenants",
  "e2e/up",
  "attacks/artifacts",
  "agent/playwright/hardships",
  "attacks/every-request",
  "e2e/outage-minute",
  "upgrade/upgrade",
  "project/guides",
  "agent/playwright/compatibility",
  "browser/journey",
  "attacks/egress-of-scripts",
  "agent/playwright/screenshots",
  "attacks/secrets",
  "agent/playwright/trust",
  "browser/hostile",
  "agent/sandbox/endings",
  "attacks/key-uses",
  "agent/runtimes/install-runtime",
  "images/images",
  "clients/command-line",
  "faults/overload",
  "agent/runners/icmp/loss",
  "e2e/postgres-killed",
  "faults/lost-name",
  "attacks/second-factor",
  "faults/clock-steps",
  "e2e/outage",
  "images/rolling-replace",
  "charts/tools",
  "agent/bad-input",
  "charts/control-plane-values",
  "faults/postgres-read-only",
  "project/release",
  "control-plane/commands",
  "control-plane/bad-input-matrix",
  "control-plane/artifacts/artifacts",
  "control-plane/alerting/notifier",
  "control-plane/subscribers",
  "control-plane/code-bundles/code-bundles",
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
