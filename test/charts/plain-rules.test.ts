import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { createAgentMetrics } from "../../src/agent/health/metrics.ts";
import { exposition } from "../../src/daemon/exposition.ts";

const folder = join(import.meta.dirname, "../../docs/operations/prometheus");
const parts = ["agent", "control-plane"] as const;

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string; readonly description: string };
}

function rulesOf(part: (typeof parts)[number]): readonly Rule[] {
  const { groups } = parse(readFileSync(join(folder, `${part}.rules.yaml`), "utf8")) as { groups: readonly { rules: readonly Rule[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

const promtool = (args: readonly string[], input = "") => {
  const { status, stdout, stderr } = spawnSync("promtool", args, { encoding: "utf8", input });
  return { status, said: `${stdout}${stderr}` };
};

function hasPromtool(): boolean {
  if (spawnSync("promtool", ["--version"]).status === 0) return true;
  process.stdout.write("Tests with promtool are skipped: it is not installed (Debian package prometheus).\n");
  return false;
}

describe("alerts for a Prometheus without the operator", () => {
  it.each(parts)("are those of the chart: %s", (part) => {
    const chart = readFileSync(join(import.meta.dirname, `../../charts/${part}/templates/_alerts.tpl`), "utf8");
    const ofChart = [...chart.matchAll(/^- alert: (\w+)$/gm)].map(([, name]) => name);
    expect(ofChart.length).toBeGreaterThan(10);
    expect(rulesOf(part).map(({ alert }) => alert)).toEqual(ofChart);
  });

  it.each(parts)("look at one job only, ask for metrics of the chart's alerts, and end each description with a sentence: %s", (part) => {
    const chart = readFileSync(join(import.meta.dirname, `../../charts/${part}/templates/_alerts.tpl`), "utf8");
    for (const { alert, expr, annotations } of rulesOf(part)) {
      const selectors = expr.match(/\{[^}]*\}/g) ?? [];
      expect([alert, selectors.filter((one) => !one.startsWith(`{job="outpost-${part}"`))]).toEqual([alert, []]);
      const asked = [...expr.matchAll(/(\w+)\{/g)].map(([, name]) => name ?? "");
      expect([alert, asked.filter((name) => !chart.includes(name))]).toEqual([alert, []]);
      expect(annotations.description).toMatch(/\.$/);
    }
  });
});

describe.skipIf(!hasPromtool())("promtool", () => {
  it("takes the rules, and they speak when they should", () => {
    const files = parts.map((part) => join(folder, `${part}.rules.yaml`));
    expect(promtool(["check", "rules", ...files])).toMatchObject({ status: 0 });
    expect(promtool(["test", "rules", join(folder, "rules.test.yaml")])).toMatchObject({ status: 0 });
  });

  it("finds nothing to say of an agent's metrics", async () => {
    const { registry } = createAgentMetrics();
    const { body } = await exposition([registry], "");
    // Of those that Node.js brings along, some gauges end with _total.
    expect(
      promtool(["check", "metrics"], body)
        .said.split("\n")
        .filter((line) => line.startsWith("outpost_")),
    ).toEqual([]);
  });
});
