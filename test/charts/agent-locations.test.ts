import { describe, expect, it } from "vitest";
import { chartTools, type Field, type Manifest, render, renderNotes } from "../support/chart-tools.ts";

const keyOf = (name: string) => ({ existingSecret: { name: `${name}-key` } });
const values = {
  apiUrl: "https://outpost.example.com",
  jobConcurrency: 20,
  serviceMonitor: { enabled: true },
  locations: [
    { name: "berlin", apiKey: keyOf("berlin") },
    { name: "paris", apiKey: keyOf("paris"), jobConcurrency: 5, targets: { denyCidrs: ["10.0.0.0/8"] } },
  ],
};
const release = { release: "europe" };

describe.skipIf(!chartTools())("several locations in one release of the agent", () => {
  const all = (kind: string): Manifest[] => render("agent", values, release).filter((manifest) => manifest.kind === kind);
  const env = (deployment: Manifest): Record<string, string> =>
    Object.fromEntries(deployment.spec.template.spec.containers[0].env.map(({ name, value }: Field) => [name, value]));

  it("have agents of their own, each with the key and the values of its location, and the release's where it has none", () => {
    const deployments = all("Deployment");
    expect(deployments.map(({ metadata }) => metadata.name)).toEqual(["europe-outpost-agent-berlin", "europe-outpost-agent-paris"]);
    const [berlin, paris] = deployments.map(env);
    expect([berlin?.["JOB_CONCURRENCY"], paris?.["JOB_CONCURRENCY"]]).toEqual(["20", "5"]);
    expect([berlin?.["TARGET_DENY_CIDR"], paris?.["TARGET_DENY_CIDR"]]).toEqual([undefined, "10.0.0.0/8"]);
    const secrets = deployments.map(
      ({ spec }) => spec.template.spec.volumes.find(({ name }: Field) => name === "api-key").secret.secretName,
    );
    expect(secrets).toEqual(["berlin-key", "paris-key"]);
  });

  it("select none of each other's pods, whatever selects", () => {
    const pods = all("Deployment").map(({ spec }) => spec.template.metadata.labels as Readonly<Record<string, string>>);
    const selectors = [
      ...["Deployment", "PodDisruptionBudget"].flatMap((kind) => all(kind).map(({ spec }) => spec.selector.matchLabels)),
      ...all("Service").map(({ spec }) => spec.selector),
      ...all("NetworkPolicy").map(({ spec }) => spec.podSelector.matchLabels),
    ];
    expect(selectors).toHaveLength(8);
    for (const selector of selectors) {
      const selected = pods.filter((labels) => Object.entries(selector).every(([name, value]) => labels[name] === value));
      expect(selected).toHaveLength(1);
    }
    const monitors = all("ServiceMonitor").map(({ spec }) => spec.selector.matchLabels);
    const services = all("Service").map(({ metadata }) => metadata.labels ?? {});
    for (const monitor of monitors)
      expect(services.filter((labels) => Object.entries(monitor).every(([name, value]) => labels[name] === value))).toHaveLength(1);
  });

  it("scale on their own queue", () => {
    const scaled = { ...values, keda: { enabled: true } };
    const queues = render("agent", scaled, release).filter(({ kind }) => kind === "ScaledObject");
    expect(queues.map(({ spec }) => spec.triggers[0].metadata.valueLocation)).toEqual([
      'outpost_jobs_queued{location="berlin"}',
      'outpost_jobs_queued{location="paris"}',
    ]);
  });

  it("keep names that Kubernetes takes, however long the release's is", () => {
    const names = render("agent", { ...values, fullnameOverride: "x".repeat(52) }, release).map(({ metadata }) => metadata.name);
    expect(names.filter((name) => name.length > 63)).toEqual([]);
    expect(names.filter((name) => name.includes("-berlin"))).not.toEqual([]);
  });

  it("are each named in the notes", () => {
    const notes = renderNotes("agent", values, release);
    expect(notes).toContain("location berlin, with 20 checks at the same time each.");
    expect(notes).toContain("rollout status deployment/europe-outpost-agent-paris");
  });
});
