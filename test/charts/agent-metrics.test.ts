import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createAgentMetrics } from "../../src/agent/health/metrics.ts";
import { chartTools, type Field, render } from "../support/chart-tools.ts";

const chart = join(import.meta.dirname, "../../charts/agent");
const dashboard: Field = JSON.parse(readFileSync(join(chart, "dashboards/agents.json"), "utf8"));
const schema: Field = JSON.parse(readFileSync(join(chart, "values.schema.json"), "utf8"));
const panels: readonly Field[] = dashboard.panels.filter(({ type }: Field) => type !== "row");
const values = {
  apiUrl: "https://outpost.example.com",
  apiKey: { existingSecret: { name: "outpost-key" } },
  serviceMonitor: { enabled: true },
  prometheusRule: { enabled: true },
  dashboard: { enabled: true },
};

describe("the agent's dashboard", () => {
  it("asks only for metrics that an agent has", () => {
    const known = knownSeries();
    const asked = panels.flatMap(({ targets }) => targets.flatMap(({ expr }: Field) => metricsIn(expr)));
    expect(new Set(asked).size).toBeGreaterThan(20);
    expect(asked.filter((name) => !known.has(name))).toEqual([]);
  });

  it("shows every metric of the agent's own", () => {
    const asked = panels.map(({ targets }) => JSON.stringify(targets)).join(" ");
    const own = [...createdMetrics()].filter((name) => name.startsWith("outpost_agent_"));
    expect(own.length).toBeGreaterThan(10);
    expect(own.filter((name) => !asked.includes(name))).toEqual([]);
  });

  it("has panels with a title, a place of their own and an id each", () => {
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }: Field) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
    );
    expect(cells).toHaveLength(new Set(cells).size);
    expect(new Set(dashboard.panels.map(({ id }: Field) => id)).size).toBe(dashboard.panels.length);
    expect(dashboard.panels.filter(({ title }: Field) => title === "")).toEqual([]);
  });

  it("looks at the release that is chosen, in the data source that is chosen", () => {
    const targets = panels.flatMap((panel) => panel.targets);
    expect(targets.filter(({ expr }: Field) => !expr.includes('namespace="$namespace",service="$service",pod=~"$pod"'))).toEqual([]);
    expect(targets.filter(({ datasource }: Field) => datasource.uid !== "${datasource}")).toEqual([]);
  });
});

describe.skipIf(!chartTools())("the agent's alerts", () => {
  const rulesOf = (prometheusRule: object): readonly Field[] => {
    const manifests = render("agent", { ...values, prometheusRule: { enabled: true, ...prometheusRule } });
    return manifests.find(({ kind }) => kind === "PrometheusRule")?.spec.groups[0].rules;
  };

  it("ask only for metrics that an agent has, and of this release", () => {
    const known = knownSeries();
    const here = '{namespace="monitoring",service="outpost-outpost-agent"';
    const isSound = (expression: string): boolean => {
      const asked = metricsIn(expression);
      return asked.length > 0 && asked.every((name) => known.has(name)) && expression.includes(here);
    };
    expect(rulesOf({}).filter(({ expr }) => !isSound(expr))).toEqual([]);
  });

  it("each say how bad it is, what happened and what it means", () => {
    const isSound = ({ labels, annotations: { summary, description } }: Field): boolean =>
      ["warning", "critical"].includes(labels.severity) && summary.length > 10 && description.length > 30;
    expect(rulesOf({}).filter((rule) => !isSound(rule))).toEqual([]);
    expect(JSON.stringify(rulesOf({}))).not.toContain("%!");
  });

  it("can be left out by the names that the schema allows", () => {
    const names = rulesOf({}).map(({ alert }) => alert);
    expect(schema.properties.prometheusRule.properties.disabled.items.enum).toEqual(names);
    expect(rulesOf({ disabled: names.slice(1) }).map(({ alert }) => alert)).toEqual(names.slice(0, 1));
  });

  it("speak at the thresholds that are given", () => {
    const given = {
      noContactSeconds: 31,
      outboxOldestSeconds: 32,
      leasesLost: 33,
      clockAheadSeconds: 36,
      queueWaitSeconds: 0.34,
      restarts: 35,
    };
    const expressions = rulesOf(given).map(({ expr }) => expr);
    for (const threshold of Object.values(given)) expect(expressions).toContainEqual(expect.stringMatching(new RegExp(`> ${threshold}$`)));
  });
});

describe.skipIf(!chartTools())("the dashboard's ConfigMap", () => {
  it("carries the file as it is, under the label that Grafana's sidecar looks for", () => {
    const map = render("agent", values).find(({ kind, metadata }) => kind === "ConfigMap" && metadata.name.endsWith("-dashboard"));
    expect(map?.metadata.labels).toMatchObject({ grafana_dashboard: "1" });
    expect(JSON.parse(map?.data["outpost-agents.json"])).toEqual(dashboard);
  });
});

/** Names of all metrics of an agent. */
function createdMetrics(): Set<string> {
  const metrics = createAgentMetrics();
  metrics.observe({
    outbox: () => ({ depth: 0, bytes: 0, oldestSeconds: 0, mode: "disk", dropped: {}, corrupt: 0 }) as Field,
    artifacts: () => ({ waiting: 0, bytes: 0 }),
    contactAgeMs: () => null,
    clockAheadMs: () => null,
    isReady: () => true,
    running: () => 0,
    waiting: () => 0,
    besideSeats: () => 0,
    agentModel: () => null,
    held: () => 0,
  });
  return new Set(metrics.registry.getMetricsAsArray().map(({ name }) => name));
}

/** And the series that a histogram or summary becomes. */
function knownSeries(): Set<string> {
  return new Set([...createdMetrics()].flatMap((name) => [name, `${name}_bucket`, `${name}_sum`, `${name}_count`]));
}

/** What stands before a selector is a metric: every query of ours has one. */
function metricsIn(expression: string): string[] {
  return [...expression.matchAll(/([a-z_][a-z0-9_]*)\{/g)].map(([, name = ""]) => name);
}
