import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { withDescriptions } from "../../docs/chart-schema.ts";
import { chartFolder, chartTools, render, validate } from "../support/chart-tools.ts";

const charts = ["agent", "control-plane"] as const;

describe.each(charts)("the documents of the chart %s", (chart) => {
  const read = (name: string): string => readFileSync(join(chartFolder(chart), name), "utf8");

  it("describe each value in the schema as values.yaml does; npm run docs puts them there", () => {
    const schema = read("values.schema.json");
    expect(schema).toBe(withDescriptions(schema, read("values.yaml")));
  });

  it("would notice a value whose text changed", () => {
    const changed = read("values.yaml").replace(/(\n# )[a-z].*(\nreplicas:)/, "$1something else$2");
    expect(withDescriptions(read("values.schema.json"), changed)).toContain('"description": "something else"');
  });

  const samples = [...read("README.md").matchAll(/^```yaml\n([^]*?)^```$/gm)].map(([, text = ""]) => text);
  it.skipIf(!chartTools() || samples.length === 0)("show samples of values that Kubernetes takes as they stand", () => {
    const needed = chart === "agent" ? { apiUrl: "https://outpost.example.com" } : {};
    for (const sample of samples) {
      const values = { ...needed, ...(parse(sample) as object) };
      expect(validate(render(chart, values))).toEqual([]);
    }
  });
});
