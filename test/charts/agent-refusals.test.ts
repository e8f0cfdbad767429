import { describe, expect, it } from "vitest";
import { chartTools, lint, renderFailure } from "../support/chart-tools.ts";

const needed = { apiUrl: "https://outpost.example.com", apiKey: { existingSecret: { name: "outpost-key" } } };
const key = { existingSecret: { name: "outpost-key" } };
const pvc = { outbox: { type: "pvc" } };
const hpa = { autoscaling: { enabled: true } };
const keda = { keda: { enabled: true, location: "berlin" } };

describe.skipIf(!chartTools())("the agent's chart refuses, with a sentence that says what to do,", () => {
  it.each([
    { what: "no apiUrl", values: { apiUrl: "" }, says: /apiUrl is required: set it to the base URL/ },
    {
      what: "a URL with garbage behind it",
      values: { apiUrl: "http://outpost:3000 oops" },
      says: /apiUrl is "http:\/\/outpost:3000 oops": give/,
    },
    { what: "a URL with a query", values: { apiUrl: "https://outpost/?a=b" }, says: /without spaces, query and fragment/ },
    { what: "no URL", values: { apiUrl: "outpost.example.com" }, says: /apiUrl is "outpost.example.com": give an http or https URL/ },
    {
      what: "a key beside locations",
      values: { locations: [{ name: "berlin", apiKey: key }] },
      says: /apiKey and locations are both given: a key is of one location/,
    },
    {
      what: "a location twice, and one without a key",
      values: {
        apiKey: { existingSecret: { name: "" } },
        locations: [
          { name: "berlin", apiKey: key },
          { name: "berlin", apiKey: {} },
        ],
      },
      says: /locations has berlin twice: name each location once\.\n {2}- berlin: apiKey is required/,
    },
    {
      what: "Secrets out of no store",
      values: { externalSecrets: { secrets: { "outpost-key": { "api-key": { key: "berlin" } } } } },
      says: /externalSecrets.secrets is given, but no store: set externalSecrets.store.name/,
    },
    { what: "no key", values: { apiKey: { existingSecret: { name: "" } } }, says: /apiKey is required: set apiKey.existingSecret.name/ },
    {
      what: "two keys",
      values: { apiKey: { ...key, value: "pl_1" } },
      says: /apiKey.existingSecret.name and apiKey.value are both set: keep one/,
    },
    {
      what: "a key's file without a path",
      values: { apiKey: { file: "key", existingSecret: { name: "" } } },
      says: /give an absolute path/,
    },
    {
      what: "two folders of runtimes",
      values: { runtimes: { inImage: true, volume: { emptyDir: {} } } },
      says: /runtimes.inImage and runtimes.volume are both set: .*keep one/,
    },
    {
      what: "a folder of no volume",
      values: { runtimes: { folder: "a" } },
      says: /runtimes.folder is set, but there is no runtimes.volume/,
    },
    {
      what: "two folders of secrets",
      values: { secrets: { existingSecret: { name: "a" }, folder: "/b" } },
      says: /secrets.existingSecret.name and secrets.folder are both set: .*keep one/,
    },
    {
      what: "secrets without a path",
      values: { secrets: { folder: "checks" } },
      says: /secrets.folder is "checks": give an absolute path/,
    },
    { what: "two scalers", values: { ...hpa, ...keda }, says: /autoscaling.enabled and keda.enabled are both true: .*keep one/ },
    { what: "an autoscaler with volumes", values: { ...hpa, ...pvc }, says: /autoscaling.enabled and outbox.type pvc do not go together/ },
    { what: "KEDA with volumes", values: { ...keda, ...pvc }, says: /keda.enabled and outbox.type pvc do not go together/ },
    { what: "KEDA without a location", values: { keda: { enabled: true } }, says: /keda.location is required/ },
    {
      what: "KEDA without its Prometheus",
      values: { keda: { enabled: true, location: "a", source: "prometheus" } },
      says: /keda.prometheus.serverAddress is required/,
    },
    {
      what: "fewest above most",
      values: { autoscaling: { enabled: true, minReplicas: 20 } },
      says: /minReplicas is 20 and autoscaling.maxReplicas is 10/,
    },
    { what: "an autoscaler on nothing", values: { autoscaling: { enabled: true, targetCpuPercent: 0 } }, says: /nothing to scale on/ },
    {
      what: "a variable twice",
      values: { extraEnv: [{ name: "API_URL", value: "x" }] },
      says: /extraEnv sets API_URL, which the chart sets/,
    },
    { what: "the key as a variable", values: { extraEnv: [{ name: "API_KEY", value: "pl_1" }] }, says: /extraEnv sets API_KEY/ },
    { what: "captures without evidence", values: { captures: true, evidence: false }, says: /captures is true and evidence is false/ },
    { what: "probes that nobody could reach", values: { healthHost: "127.0.0.1" }, says: /probes come from outside the container/ },
    { what: "no network", values: { targets: { denyCidrs: ["intranet"] } }, says: /targets.denyCidrs has "intranet": give networks/ },
    {
      what: "egress rules without effect",
      values: { networkPolicy: { egress: { cidrs: ["10.0.0.0/8"] } } },
      says: /set networkPolicy.egress.restricted to true/,
    },
    {
      what: "closed egress without a policy",
      values: { networkPolicy: { enabled: false, egress: { restricted: true } } },
      says: /set networkPolicy.enabled to true/,
    },
    {
      what: "closed egress in the node's network",
      values: { hostNetwork: true, networkPolicy: { egress: { restricted: true } } },
      says: /has no effect with hostNetwork/,
    },
    { what: "a CA that is none", values: { extraCas: { pem: "MIIB" } }, says: /extraCas.pem has no certificate/ },
    {
      what: "a closed network and a proxy whose port nobody can know",
      values: {
        apiUrl: "https://outpost.example.com",
        proxy: { existingSecret: { name: "proxy" } },
        networkPolicy: { egress: { restricted: true } },
      },
      says: /set networkPolicy.egress.controlPlane.port to it/,
    },
    { what: "a proxy that is none", values: { proxy: { https: "proxy:3128" } }, says: /proxy.https is no URL of a proxy/ },
    {
      what: "a Secret without an entry",
      values: { proxy: { existingSecret: { name: "a", httpsKey: "" } } },
      says: /neither httpsKey nor httpKey/,
    },
    {
      what: "browsers in the image without them",
      values: { browser: { enabled: true }, image: { variant: "agent-uptime" } },
      says: /browser.enabled is true and image.variant is agent-uptime, which has no browser/,
    },
    {
      what: "browsers without scripts",
      values: { browser: { enabled: true }, scripts: { sandbox: "off" } },
      says: /browser.enabled is true and scripts.sandbox is off/,
    },
    { what: "a digest that is none", values: { image: { digest: "latest" } }, says: /image.digest is "latest": give sha256:/ },
  ])("$what", ({ values, says }) => {
    expect(renderFailure("agent", { ...needed, ...values })).toMatch(says);
  });

  it.each([
    { what: "an unknown value", values: { replicaCount: 3 }, says: "additional properties 'replicaCount' not allowed" },
    { what: "an unknown value of a group", values: { probes: { liveness: { port: 80 } } }, says: "'/probes/liveness'" },
    { what: "a wrong type", values: { jobConcurrency: "many" }, says: "'/jobConcurrency': got string, want integer" },
    { what: "an unknown variant", values: { image: { variant: "browser" } }, says: "must be one of 'agent', 'agent-uptime'" },
    { what: "too many seats", values: { jobConcurrency: 5000 }, says: "'/jobConcurrency': maximum" },
    { what: "a port for root", values: { healthPort: 80 }, says: "'/healthPort': minimum" },
    { what: "an unknown alert", values: { prometheusRule: { disabled: ["Nothing"] } }, says: "'/prometheusRule/disabled/0'" },
    { what: "a label that is no text", values: { podLabels: { a: 1 } }, says: "'/podLabels/a': got number, want string" },
    { what: "a grace of its own", values: { terminationGracePeriodSeconds: 60 }, says: "additional properties" },
  ])("by its schema: $what", ({ values, says }) => {
    expect(renderFailure("agent", { ...needed, ...values })).toContain(says);
  });

  it("and names every problem at once", () => {
    const text = renderFailure("agent", { healthHost: "localhost", extraCas: { pem: "x" } });
    expect(text.match(/^ {2}- /gm)).toHaveLength(4);
  });

  it("and repeats neither a password nor a key", () => {
    const values = {
      apiUrl: "https://user:hunter2@outpost",
      apiKey: { ...key, value: "pl_hunter2" },
      proxy: { https: "http://u:hunter2@a b" },
    };
    expect(renderFailure("agent", values)).not.toContain("hunter2");
  });
});

describe.skipIf(!chartTools())("helm lint --strict", () => {
  it("passes the chart as it is, before anybody gave values", () => {
    expect(lint("agent", {})).toEqual([]);
  });
});
