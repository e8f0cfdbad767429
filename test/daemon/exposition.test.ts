import { Counter, Gauge, Histogram } from "prom-client";
import { describe, expect, it } from "vitest";
import { createRegistry, exposition } from "../../src/daemon/exposition.ts";

const openMetrics = "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.3";

function registry() {
  const made = createRegistry();
  const registers = [made];
  new Counter({ name: "jobs_total", help: "Jobs", labelNames: ["outcome"], registers }).inc({ outcome: "done" }, 3);
  new Gauge({ name: "depth", help: "Depth of # {odd} 1 2", registers }).set(Number.NaN);
  const seconds = new Histogram<string>({
    name: "run_seconds",
    help: "Runs",
    labelNames: ["type"],
    buckets: [1, 2],
    enableExemplars: true,
    registers,
  });
  seconds.observe({ labels: { type: "API" }, value: 1.5, exemplarLabels: { trace_id: "4bf92f3577b34da6a3ce929d0e0e4736" } });
  return made;
}

describe("what is read at /metrics", () => {
  it("is OpenMetrics for whoever asks for it: families without _total, exemplars, and one end", async () => {
    const { type, body } = await exposition([registry(), createRegistry()], openMetrics);
    expect(type).toBe("application/openmetrics-text; version=1.0.0; charset=utf-8");
    expect(body).toContain('# TYPE jobs counter\njobs_total{outcome="done"} 3\n');
    expect(body).toMatch(/^run_seconds_bucket\{le="2",type="API"\} 1 # \{trace_id="4bf92f3577b34da6a3ce929d0e0e4736"\} 1\.5 [\d.]+$/m);
    expect(body.match(/^# EOF$/gm)).toHaveLength(1);
    expect(body.endsWith("# EOF\n")).toBe(true);
    expect(body).not.toContain("\n\n");
  });

  it("is Prometheus' text for all others, also after somebody asked for OpenMetrics: counters by their whole name, no exemplars, no end", async () => {
    const one = registry();
    await exposition([one], openMetrics);
    const { type, body } = await exposition([one], "");
    expect(type).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(body).toContain('# HELP jobs_total Jobs\n# TYPE jobs_total counter\njobs_total{outcome="done"} 3\n');
    expect(body).toContain("# HELP depth Depth of # {odd} 1 2\n# TYPE depth gauge\ndepth NaN\n");
    expect(body).toContain('run_seconds_bucket{le="2",type="API"} 1\n');
    expect(body).not.toMatch(/trace_id|EOF/);
  });
});
