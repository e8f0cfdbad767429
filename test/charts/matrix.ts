import type { Chart } from "../support/chart-tools.ts";
import { agentMatrix } from "./agent-matrix.ts";
import { controlPlaneMatrix } from "./control-plane-matrix.ts";

/** Values of one chart that must render, lint and be accepted by Kubernetes. */
export interface MatrixCase {
  readonly chart: Chart;
  readonly name: string;
  readonly values: object;
}

/** Both charts' cases, for tests that hold for every one. */
export const matrix: readonly MatrixCase[] = [...casesOf("agent", agentMatrix), ...casesOf("control-plane", controlPlaneMatrix)];

function casesOf(chart: Chart, values: Readonly<Record<string, object>>): MatrixCase[] {
  return Object.entries(values).map(([name, it]) => ({ chart, name, values: it }));
}
