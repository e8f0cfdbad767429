import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { chartValues, withChartValues } from "../../docs/chart-values.ts";
import { chartTools, type Field, type Manifest, render, validate } from "../support/chart-tools.ts";
import { agentExamples, type Example } from "./agent-examples.ts";

const chart = join(import.meta.dirname, "../../charts/agent");
const valuesYaml = readFileSync(join(chart, "values.yaml"), "utf8");
const documented = chartValues(valuesYaml).filter(({ isGroup }) => !isGroup);
const needed = { apiUrl: "https://outpost.example.com", "apiKey.existingSecret.name": "outpost-key" };

describe("the values of charts/agent", () => {
  it("have one example each, and no example is of something else", () => {
    expect(Object.keys(agentExamples).toSorted()).toEqual(documented.map(({ path }) => path).toSorted());
  });

  it("each have a comment", () => {
    const paths = documented.map(({ path }) => path);
    const isCovered = (leaf: string): boolean => paths.some((path) => leaf === path || leaf.startsWith(`${path}.`));
    expect(leavesOf(parse(valuesYaml)).filter((leaf) => !isCovered(leaf))).toEqual([]);
    expect(documented.length).toBeGreaterThan(100);
  });

  it("stand in the schema, every one", () => {
    const schema: Field = JSON.parse(readFileSync(join(chart, "values.schema.json"), "utf8"));
    const inSchema = (path: string): boolean =>
      path
        .split(".")
        .reduce((node: Field, key) => node?.properties?.[key] ?? schema.definitions[definitionOf(node)]?.properties?.[key], schema) !==
      undefined;
    expect(documented.map(({ path }) => path).filter((path) => !inSchema(path))).toEqual([]);
  });

  it("stand in the README as values.yaml has them", () => {
    const readme = readFileSync(join(chart, "README.md"), "utf8");
    expect(readme).toBe(withChartValues(readme, valuesYaml));
  });
});

describe.skipIf(!chartTools())("a value of charts/agent", () => {
  const rendered = new Map<string, readonly Manifest[]>();
  const renderOnce = (values: object): readonly Manifest[] => {
    const key = JSON.stringify(values);
    const manifests = rendered.get(key) ?? render("agent", values);
    rendered.set(key, manifests);
    return manifests;
  };

  it.each(Object.entries(agentExamples))("%s changes what it names", (path, { from, to, beside, changes }: Example) => {
    const given = { ...needed, ...beside, ...(from !== undefined && { [path]: from }) };
    const before = byName(renderOnce(nested(given)));
    const after = byName(renderOnce(nested({ ...given, [path]: to })));
    const changed = [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name));
    const kinds = new Set(changed.map((name) => name.replace(/ .*/, "")));
    expect([...kinds].toSorted().join(", ")).toBe(changes);
  });

  it("leaves manifests that Kubernetes takes, whichever it is", () => {
    expect(validate([...rendered.values()].flat())).toEqual([]);
  });
});

/** `{"a.b": 1}` to `{a: {b: 1}}`. */
function nested(values: Readonly<Record<string, unknown>>): object {
  const root: Field = {};
  for (const [path, value] of Object.entries(values)) {
    const keys = path.split(".");
    const last = keys.pop() ?? "";
    keys.reduce((at, key) => (at[key] ??= {}), root)[last] = value;
  }
  return root;
}

function byName(manifests: readonly Manifest[]): Map<string, string> {
  return new Map(manifests.map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, JSON.stringify(manifest)]));
}

function leavesOf(value: Field, path = ""): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value) || Object.keys(value).length === 0) return [path];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, path === "" ? key : `${path}.${key}`));
}

function definitionOf(node: Field): string {
  return String(node?.$ref ?? "").replace("#/definitions/", "");
}
