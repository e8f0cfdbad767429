import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createMetrics } from "../../src/control-plane/metrics/metrics.ts";
import { chartTools, type Field, type Manifest, render } from "../support/chart-tools.ts";

const file = join(import.meta.dirname, "../../charts/control-plane/dashboards/control-plane.json");
const dashboard = JSON.parse(readFileSync(file, "utf8"));
const panels: Field[] = dashboard.panels;
const expressions: string[] = [
  ...panels.flatMap(({ targets = [] }: Field) => targets.map(({ expr }: Field) => expr)),
  ...dashboard.annotations.list.map(({ expr }: Field) => expr),
  ...dashboard.templating.list.map(({ definition = "" }: Field) => definition),
];
const several = {
  database: { type: "postgresql", existingSecret: { name: "pg" } },
  keyPepper: { existingSecret: { name: "pepper" } },
  encryptionKey: { existingSecret: { name: "encryption" } },
  replicas: 2,
  prometheusRule: { enabled: true },
  serviceMonitor: { enabled: true },
  dashboard: { enabled: true },
};

describe("the Grafana dashboard", () => {
  it("asks only for metrics that the control plane has", async () => {
    expect(metricsIn(expressions).length).toBeGreaterThan(15);
    expect(await strangersAmong(metricsIn(expressions))).toEqual([]);
    expect(await strangersAmong(["outpost_planted_total", "outpost_jobs_queued"])).toEqual(["outpost_planted_total"]);
  });

  it("shows every metric of the control plane's own", async () => {
    const { samples } = await registry();
    const own = [...samples].filter((name) => name.startsWith("outpost_")).map(familyOf);
    expect([...new Set(metricsIn(expressions).map(familyOf))]).toEqual(expect.arrayContaining([...new Set(own)]));
  });

  it("explains every panel, and lays none over another", () => {
    const shown = panels.filter(({ type }) => type !== "row");
    expect(shown.filter(({ description, title }) => !description || !title).map(({ id }) => id)).toEqual([]);
    const ids = panels.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)]);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)}/${y + Math.floor(cell / w)}`),
    );
    expect(cells.length).toBe(new Set(cells).size);
    expect(Math.max(...panels.map(({ gridPos: { x, w } }) => x + w))).toBe(24);
  });

  it("names no data source and no release of its own", () => {
    for (const { datasource } of panels.filter(({ type }) => type !== "row")) expect(datasource.uid).toBe("${datasource}");
    const bare = expressions.filter(
      (expr) => expr !== "" && !expr.startsWith("label_values") && !expr.includes('namespace="$namespace",job="$job"'),
    );
    expect(bare).toEqual([]);
  });

  it.skipIf(!chartTools())("is in its ConfigMap, unchanged", () => {
    const [map] = render("control-plane", { dashboard: { enabled: true } }).filter(({ kind }) => kind === "ConfigMap");
    expect(JSON.parse(map?.data["outpost-control-plane.json"])).toEqual(dashboard);
  });
});

describe.skipIf(!chartTools())("the alerts", () => {
  const rules = (values: object = several): Field[] => ofKind(render("control-plane", values), "PrometheusRule").spec.groups[0].rules;

  it("ask only for metrics that the control plane has, or for up", async () => {
    const names = metricsIn(rules().map(({ expr }) => expr));
    expect(names).toEqual(expect.arrayContaining(["up", "outpost_runs_missed_total", "outpost_jobs_oldest_due_seconds"]));
    expect(await strangersAmong(names)).toEqual([]);
  });

  it("say what is wrong and what to do next, each once", () => {
    const names = rules().map(({ alert }) => alert);
    expect(names).toEqual([...new Set(names)]);
    for (const { alert, annotations, labels } of rules()) {
      expect([alert, annotations.summary, annotations.description, labels.severity]).toEqual([
        alert,
        expect.stringMatching(/\w{3}/),
        expect.stringMatching(/\.$/),
        expect.stringMatching(/^(warning|critical)$/),
      ]);
    }
  });

  it("look at this release only, by the labels that the ServiceMonitor gives", () => {
    const manifests = render("control-plane", several, { release: "mine", namespace: "there" });
    const service = ofKind(manifests, "Service").metadata.name;
    for (const { alert, expr } of ofKind(manifests, "PrometheusRule").spec.groups[0].rules) {
      const selectors = expr.match(/\{[^}]*\}/g);
      expect([alert, selectors.filter((one: string) => !one.includes(`job="${service}",namespace="there"`))]).toEqual([alert, []]);
    }
    const { selector } = ofKind(manifests, "ServiceMonitor").spec;
    const scraped = manifests.filter(({ kind, metadata }) => kind === "Service" && matches(selector.matchLabels, metadata.labels));
    expect(scraped.map(({ metadata }) => metadata.name)).toEqual([service]);
  });

  it("are about one of several processes only where there are several", () => {
    const alone = rules({ prometheusRule: { enabled: true } }).map(({ alert }) => alert);
    expect(rules().map(({ alert }) => alert)).toContain("OutpostControlPlaneReplicaDown");
    expect(alone).not.toContain("OutpostControlPlaneReplicaDown");
  });

  it("are the ones that values.yaml names", () => {
    const values = readFileSync(join(file, "../../values.yaml"), "utf8");
    const named = [...values.matchAll(/which (Outpost\w+) speaks/g)].map(([, name]) => name);
    expect(named.length).toBeGreaterThan(5);
    expect(rules().map(({ alert }) => alert)).toEqual(expect.arrayContaining(named));
  });
});

/** What the registry of a control plane has: the names of all samples, those of histograms included. */
async function registry(): Promise<{ readonly samples: ReadonlySet<string> }> {
  const backlog = async () => ({ waiting: 0, oldestMs: null });
  const jobs = { locationQueues: async () => [] };
  const metrics = createMetrics({
    jobs,
    alertDeliveries: { backlog },
    waitingPolls: () => 0,
    works: () => ({ writing: { status: "ok" } }),
    nowMs: Date.now,
  });
  const { body } = await metrics.text({ tellsLocations: true });
  const types = [...body.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  const samples = types.flatMap(([, name = "", type]) =>
    type === "histogram" ? ["_bucket", "_sum", "_count"].map((end) => name + end) : [name],
  );
  return { samples: new Set(samples) };
}

/** `up` is Prometheus' own. */
async function strangersAmong(names: readonly string[]): Promise<string[]> {
  const { samples } = await registry();
  return names.filter((name) => name !== "up" && !samples.has(name));
}

/** Names of metrics: words before `{`, and the first argument of label_values. */
function metricsIn(expressions: readonly string[]): string[] {
  const found = expressions.flatMap((expr) => [...expr.matchAll(/([a-z_][a-z0-9_]*)(?=\{)|label_values\((\w+)/g)]);
  return [...new Set(found.map(([, selected, listed]) => selected ?? listed ?? ""))];
}

function familyOf(name: string): string {
  return name.replace(/_(bucket|sum|count)$/, "");
}

function ofKind(manifests: readonly Manifest[], kind: string): Manifest {
  const found = manifests.find((manifest) => manifest.kind === kind);
  if (found === undefined) throw new Error(`there is no ${kind}`);
  return found;
}

function matches(selector: Readonly<Record<string, string>>, labels: Readonly<Record<string, string>> = {}): boolean {
  return Object.entries(selector).every(([key, value]) => labels[key] === value);
}
