import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { schemasOfCrd, schemasOfKubernetes } from "../support/chart-schemas.ts";
import { chartTools, lint, render, validate } from "../support/chart-tools.ts";
import { matrix } from "./matrix.ts";

describe.skipIf(!chartTools())("every case of the charts' matrix", () => {
  it.each(matrix)("charts/$chart with $name passes helm lint --strict", ({ chart, values }) => {
    expect(lint(chart, values)).toEqual([]);
  });

  it.each(matrix)("charts/$chart with $name gives manifests that follow Kubernetes' schemas to the letter", ({ chart, values }) => {
    const manifests = render(chart, values);
    expect(manifests.length).toBeGreaterThan(0);
    expect(validate(manifests)).toEqual([]);
  });

  it.each(matrix)("charts/$chart with $name names each object once", ({ chart, values }) => {
    const names = render(chart, values).map(({ apiVersion, kind, metadata }) => `${apiVersion} ${kind} ${metadata.name}`);
    expect(names).toEqual([...new Set(names)]);
  });
});

describe.skipIf(!chartTools())("the validator", () => {
  const service = { apiVersion: "v1", kind: "Service", metadata: { name: "planted" }, spec: { ports: [{ port: 80 }] } };
  const monitor = { apiVersion: "monitoring.coreos.com/v1", kind: "ServiceMonitor", metadata: { name: "planted" } };
  const scaled = { apiVersion: "keda.sh/v1alpha1", kind: "ScaledObject", metadata: { name: "planted" } };
  const triggers = [{ type: "prometheus", metadata: { threshold: "1" } }];

  it.each([
    { what: "a field that the kind does not have", manifest: { ...service, spec: { portz: [] } }, names: "portz" },
    { what: "a value of the wrong type", manifest: { ...service, spec: { ports: [{ port: "80" }] } }, names: "want integer" },
    { what: "a missing field", manifest: { ...service, spec: { ports: [{}] } }, names: "missing property 'port'" },
    { what: "a null", manifest: { ...service, spec: null }, names: "got null" },
    { what: "metadata that no object has", manifest: { ...service, metadata: { name: "planted", label: {} } }, names: "label" },
    { what: "a kind without a schema", manifest: { ...service, kind: "Servise" }, names: "could not find schema" },
    { what: "a wrong ServiceMonitor", manifest: { ...monitor, spec: { selector: {}, endpoint: [] } }, names: "endpoint" },
    { what: "a wrong ScaledObject", manifest: { ...scaled, spec: { scaleTargetRef: { nam: "x" }, triggers } }, names: "nam" },
  ])("finds $what", ({ manifest, names }) => {
    expect(validate([service, manifest])).toEqual([expect.stringContaining(names)]);
  });

  it("accepts what the API server accepts", () => {
    const endpoints = [{ port: "health", interval: "30s" }];
    expect(validate([service, { ...monitor, spec: { selector: { matchLabels: {} }, endpoints } }])).toEqual([]);
    expect(validate([{ ...scaled, spec: { scaleTargetRef: { name: "x" }, triggers } }])).toEqual([]);
  });
});

describe("the schemas that .ci/chart-tools writes", () => {
  const swagger = {
    definitions: {
      "io.k8s.api.demo.v1.Demo": {
        description: "words",
        properties: { metadata: { $ref: "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }, size: { type: "string" } },
        type: "object",
        "x-kubernetes-group-version-kind": [{ group: "demo.k8s.io", version: "v1", kind: "Demo" }],
      },
      "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": { properties: { name: { type: "string" } }, type: "object" },
      "io.k8s.apimachinery.pkg.api.resource.Quantity": { type: "string" },
    },
  };

  it("close every object that names its fields, and carry only what they refer to", () => {
    const metadata = { properties: { name: { type: "string" } }, type: "object", additionalProperties: false };
    expect(schemasOfKubernetes(swagger).get("demo-demo-v1.json")).toEqual({
      $schema: "http://json-schema.org/draft-07/schema#",
      properties: { metadata: { $ref: "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }, size: { type: "string" } },
      type: "object",
      additionalProperties: false,
      definitions: { "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": metadata },
    });
  });

  it("leave conditions and unknown fields of a custom resource open, where its definition does", () => {
    const spec = {
      type: "object",
      properties: { free: { type: "object", properties: {}, "x-kubernetes-preserve-unknown-fields": true } },
      anyOf: [{ properties: { free: { type: "object" } } }],
    };
    const crd = {
      spec: {
        group: "demo.example",
        names: { kind: "Demo" },
        versions: [{ name: "v1", schema: { openAPIV3Schema: { type: "object", properties: { metadata: { type: "object" }, spec } } } }],
      },
    };
    expect(schemasOfCrd(JSON.stringify(crd), swagger).get("demo-demo-v1.json")).toMatchObject({
      properties: {
        metadata: { additionalProperties: false, properties: { name: { type: "string" } } },
        spec: { additionalProperties: false, properties: { free: { type: "object", properties: {} } }, anyOf: spec.anyOf },
      },
    });
  });
});

describe(".ci/chart-tools", () => {
  const script = join(import.meta.dirname, "../../.ci/chart-tools");
  const run = (...args: string[]) =>
    spawnSync("/bin/bash", [script, ...args], { encoding: "utf8", env: { PATH: "/nonexistent", HOME: "/nonexistent" } });

  it("says in one sentence that Go is absent and lets the tests be skipped", () => {
    expect(run()).toMatchObject({ status: 0, stdout: "", stderr: expect.stringMatching(/^Go is not installed: [^\n]+\n$/) });
  });

  it("refuses an argument that it does not know", () => {
    expect(run("api-server")).toMatchObject({ status: 2, stderr: 'chart-tools takes nothing, not "api-server".\n' });
  });
});
