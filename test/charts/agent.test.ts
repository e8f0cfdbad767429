import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { AgentEnv } from "../../src/agent/config.ts";
import { outpostProgram } from "../support/built-program.ts";
import { chartTools, type Field, type Manifest, type RenderOptions, render, renderNotes, validate } from "../support/chart-tools.ts";
import { agentMatrix } from "./agent-matrix.ts";

const needed = { apiUrl: "https://outpost.example.com", apiKey: { existingSecret: { name: "outpost-key" } } };

function objectsOf(values: object, options?: RenderOptions): (kind: string, suffix?: string) => Manifest {
  const manifests = render("agent", { ...needed, ...values }, options);
  return (kind, suffix = "") => {
    const found = manifests.find((one) => one.kind === kind && one.metadata.name.endsWith(suffix));
    if (found === undefined) throw new Error(`no ${kind} ${suffix} in ${manifests.map((one) => one.kind).join(", ")}`);
    return found;
  };
}

function podOf(values: object): Field {
  const manifests = render("agent", { ...needed, ...values });
  return manifests.find(({ kind }) => kind === "Deployment" || kind === "StatefulSet")?.spec.template.spec;
}

const agentOf = (values: object): Field => podOf(values).containers[0];
const variablesOf = (values: object): Readonly<Record<string, string>> =>
  Object.fromEntries(agentOf(values).env.map(({ name, value }: Field) => [name, value]));

describe.skipIf(!chartTools())("the agent's chart", () => {
  it.each([8081, 9123])("wires everything to the health port %i", (healthPort) => {
    const object = objectsOf({ healthPort, serviceMonitor: { enabled: true }, networkPolicy: { egress: { restricted: true } } });
    const [container] = object("Deployment").spec.template.spec.containers;
    expect(container.ports).toEqual([{ name: "health", containerPort: healthPort, protocol: "TCP" }]);
    expect(container.env).toContainEqual({ name: "AGENT_HEALTH_PORT", value: String(healthPort) });
    expect(container.startupProbe.httpGet).toEqual({ path: "/-/liveness", port: "health" });
    expect(container.livenessProbe.httpGet).toEqual({ path: "/-/liveness", port: "health" });
    expect(container.readinessProbe.httpGet).toEqual({ path: "/-/readiness", port: "health" });
    expect(object("Service").spec.ports).toEqual([{ name: "health", port: healthPort, targetPort: "health", protocol: "TCP" }]);
    expect(object("ServiceMonitor").spec.endpoints).toMatchObject([{ port: "health", path: "/metrics" }]);
    const policy = object("NetworkPolicy").spec;
    expect(policy.ingress).toEqual([{ ports: [{ port: healthPort, protocol: "TCP" }] }]);
    expect(policy.egress).toContainEqual(
      expect.objectContaining({ ports: [{ port: healthPort, protocol: "TCP" }], to: expect.anything() }),
    );
    const urls = object("ConfigMap", "-health").data["checks.yaml"].match(/http:[^"]+/g);
    const base = `http://outpost-outpost-agent.monitoring.svc:${healthPort}`;
    expect(urls).toEqual([`${base}/-/liveness`, `${base}/-/readiness`, `${base}/health`, `${base}/metrics`]);
  });

  it("keeps words that look like numbers words: the names of a release, its namespace and its Secret", () => {
    const values = { ...needed, apiKey: { existingSecret: { name: "8", key: "1.5" } }, serviceAccount: { name: "7" }, nameOverride: "11" };
    const manifests = render("agent", { ...values, keda: { enabled: true, location: "12" } }, { release: "1e3", namespace: "2026" });
    expect(validate(manifests)).toEqual([]);
    expect(manifests.map(({ metadata }) => [metadata.namespace, metadata.labels?.["app.kubernetes.io/instance"]])).toEqual(
      manifests.map(() => ["2026", "1e3"]),
    );
  });

  it("names no port but by the one value", () => {
    const texts = Object.values(agentMatrix).map((values) => JSON.stringify(render("agent", { ...values, healthPort: 9123 })));
    expect(texts.filter((text) => text.includes("8081"))).toEqual([]);
  });

  it("selects its own pods, and only the agents for the Service", () => {
    const object = objectsOf({ serviceMonitor: { enabled: true } });
    const { labels } = object("Deployment").spec.template.metadata;
    const doctor = object("Pod", "-doctor").metadata.labels;
    for (const selector of [
      object("Deployment").spec.selector.matchLabels,
      object("Service").spec.selector,
      object("PodDisruptionBudget").spec.selector.matchLabels,
    ]) {
      expect(labels).toMatchObject(selector);
      expect(doctor).not.toMatchObject(selector);
    }
    expect(object("Service").metadata.labels).toMatchObject(object("ServiceMonitor").spec.selector.matchLabels);
    expect(doctor).toMatchObject(object("NetworkPolicy").spec.podSelector.matchLabels);
  });

  it("matches the pod's grace to the drain", () => {
    expect(podOf({ shutdownGraceSeconds: 90 }).terminationGracePeriodSeconds).toBe(95);
    expect(variablesOf({ shutdownGraceSeconds: 90 })["SHUTDOWN_GRACE_SECONDS"]).toBe("90");
  });

  it("starts a new agent before it stops an old one, except in the node's network, where the port is taken", () => {
    const strategyOf = (values: object): Field => objectsOf(values)("Deployment").spec.strategy;
    expect(strategyOf({})).toEqual({ type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } });
    expect(strategyOf({ hostNetwork: true }).rollingUpdate).toEqual({ maxUnavailable: 1, maxSurge: 0 });
    expect(strategyOf({ rollingUpdate: { maxSurge: 3 } }).rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 3 });
  });

  it("lets a drain of a node take an agent that does no work, where Kubernetes knows how", () => {
    const budget = (kubeVersion: string): Field => objectsOf({}, { kubeVersion })("PodDisruptionBudget").spec.unhealthyPodEvictionPolicy;
    expect(budget("1.36.0")).toBe("AlwaysAllow");
    expect(budget("1.25.0")).toBeUndefined();
  });

  it("reaches every variable of the agent by a value, or sets it itself and says so", () => {
    const all = {
      targets: { allowCidrs: ["10.0.0.0/8"], denyCidrs: ["192.168.0.0/16"] },
      proxy: { https: "http://proxy:3128", http: "http://proxy:3128", noProxy: [".svc"] },
      extraCas: { configMap: { name: "cas" } },
      secrets: { existingSecret: { name: "checks" } },
      browser: { enabled: true },
      suites: { concurrency: 1, registry: "https://npm.example.com/" },
      contactAlarm: { url: "https://hooks.example.com/1", command: "/opt/tell" },
      agentic: { model: { url: "http://llm:8000/v1", name: "small" }, keySecret: { name: "model" }, price: { prompt: 1, completion: 2 } },
      telemetry: {
        endpoint: "http://collector:4318",
        existingSecret: { name: "collector" },
        serviceName: "berlin",
        resourceAttributes: ["deployment.environment.name=test"],
        targets: ["*"],
      },
    };
    const documented = ["AGENTIC_KEY", "API_KEY", "OTEL_EXPORTER_OTLP_HEADERS", "OUTBOX_DIR", "BROWSER_PATH"];
    expect([...Object.keys(variablesOf(all)), ...documented].toSorted()).toEqual(Object.keys(AgentEnv.shape).toSorted());
  });

  it.each(Object.entries(agentMatrix))("gives variables that the agent accepts: %s", (_, values) => {
    const plain = Object.entries(variablesOf(values)).filter(([name]) => name in AgentEnv.shape);
    const given = Object.fromEntries(plain.filter(([, value]) => value !== undefined));
    expect(AgentEnv.safeParse(given).error?.issues ?? []).toEqual([]);
  });

  it("refuses no size that the agent takes for its outbox, and gives the volume more room than that", () => {
    expect(podOf({ outbox: { maxMb: 100 }, artifacts: { maxMb: 0 } }).volumes[0]).toEqual({
      name: "data",
      emptyDir: { sizeLimit: "174Mi" },
    });
    const values = { outbox: { type: "pvc", maxMb: 100 }, artifacts: { maxMb: 50 } };
    const [claim] = objectsOf(values)("StatefulSet").spec.volumeClaimTemplates;
    expect(claim.spec.resources.requests.storage).toBe("229Mi");
    expect(variablesOf(values)).toMatchObject({ DATA_DIR: "/data", OUTBOX_MAX_MB: "100", ARTIFACTS_MAX_MB: "50" });
  });

  it("has a volume for each agent with outbox.type pvc, and starts them side by side", () => {
    const { spec } = objectsOf({ outbox: { type: "pvc" } })("StatefulSet");
    expect(spec).toMatchObject({ serviceName: "outpost-outpost-agent", podManagementPolicy: "Parallel" });
    expect(spec.volumeClaimTemplates[0].metadata.name).toBe("data");
    expect(spec.template.spec.volumes.map(({ name }: Field) => name)).not.toContain("data");
    expect(spec.template.spec.containers[0].volumeMounts).toContainEqual({ name: "data", mountPath: "/data" });
  });
});

describe.skipIf(!chartTools())("the key", () => {
  const secret = {
    name: "api-key",
    secret: { secretName: "outpost-key", defaultMode: 0o440, items: [{ key: "api-key", path: "api-key" }] },
  };

  it("of an existing Secret is mounted as a folder for the pod's group, so that a new key arrives without a restart", () => {
    const pod = podOf({});
    expect(pod.volumes).toContainEqual(secret);
    expect(pod.containers[0].volumeMounts).toContainEqual({ name: "api-key", mountPath: "/run/secrets/outpost", readOnly: true });
    expect(pod.securityContext.fsGroup).toBe(65_532);
    expect(variablesOf({})["API_KEY_FILE"]).toBe("/run/secrets/outpost/api-key");
    expect(objectsOf({})("Deployment").spec.template.metadata.annotations).toBeUndefined();
  });

  it("as a value becomes a Secret, whose change replaces the pods", () => {
    const annotationsWith = (value: string): Field => objectsOf({ apiKey: { value } })("Deployment").spec.template.metadata.annotations;
    expect(objectsOf({ apiKey: { value: "pl_1" } })("Secret").stringData).toEqual({ "api-key": "pl_1" });
    expect(annotationsWith("pl_1")).not.toEqual(annotationsWith("pl_2"));
  });

  it("as a file is only named, and nothing is mounted for it", () => {
    const values = { apiKey: { file: "/vault/key" } };
    expect(variablesOf(values)["API_KEY_FILE"]).toBe("/vault/key");
    expect(podOf(values).volumes.map(({ name }: Field) => name)).toEqual(["data"]);
  });

  it("stands nowhere but in the Secret", () => {
    const others = render("agent", { ...needed, apiKey: { value: "pl_secret" } }).filter(({ kind }) => kind !== "Secret");
    expect(JSON.stringify(others)).not.toContain("pl_secret");
    expect(renderNotes("agent", { ...needed, apiKey: { value: "pl_secret" } })).not.toContain("pl_secret");
  });
});

describe.skipIf(!chartTools())("the rights of the pods", () => {
  it("are those of the restricted standard", () => {
    const pod = podOf({});
    expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65_532, seccompProfile: { type: "RuntimeDefault" } });
    const drop = { capabilities: { drop: ["ALL"] } };
    expect(pod.containers[0].securityContext).toEqual({ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, ...drop });
    expect(objectsOf({})("ServiceAccount")["automountServiceAccountToken"]).toBe(false);
  });

  const sysctl = [{ name: "net.ipv4.ping_group_range", value: "0 2147483647" }];
  const netRaw = { drop: ["ALL"], add: ["NET_RAW", "DAC_OVERRIDE"] };
  it.each([
    { values: {}, sysctls: sysctl, capabilities: { drop: ["ALL"] } },
    { values: { hostNetwork: true }, sysctls: undefined, capabilities: { drop: ["ALL"] } },
    { values: { icmp: { mode: "none" } }, sysctls: undefined, capabilities: { drop: ["ALL"] } },
    { values: { icmp: { mode: "netRaw" } }, sysctls: undefined, capabilities: netRaw },
    { values: { captures: true }, sysctls: undefined, capabilities: netRaw },
  ])("follow icmp.mode, captures and hostNetwork: $values", ({ values, sysctls, capabilities }) => {
    const pod = podOf(values);
    const { runAsUser, runAsNonRoot, capabilities: given } = pod.containers[0].securityContext;
    expect(pod.securityContext.sysctls).toEqual(sysctls);
    expect(given).toEqual(capabilities);
    expect([runAsUser, runAsNonRoot]).toEqual("add" in capabilities ? [0, false] : [undefined, undefined]);
  });

  it("leave out what a value takes away, for platforms that choose users", () => {
    const { securityContext } = podOf({ podSecurityContext: { runAsUser: null, runAsGroup: null, fsGroup: null } });
    expect(Object.keys(securityContext).toSorted()).toEqual(["fsGroupChangePolicy", "runAsNonRoot", "seccompProfile", "sysctls"]);
  });
});

describe.skipIf(!chartTools())("runtimes and secrets of checks", () => {
  const mountsOf = (values: object): Record<string, Field> =>
    Object.fromEntries(agentOf(values).volumeMounts.map((mount: Field) => [mount.name, mount]));

  it("are mounted read-only where the agent looks for them, the secrets for the pod's group only", () => {
    const values = {
      runtimes: { volume: { image: { reference: "runtimes:1" } }, folder: "opt/runtimes" },
      secrets: { existingSecret: { name: "checks" } },
    };
    expect(podOf(values).volumes).toEqual(
      expect.arrayContaining([
        { name: "check-secrets", secret: { secretName: "checks", defaultMode: 0o440 } },
        { name: "runtimes", image: { reference: "runtimes:1" } },
      ]),
    );
    expect(mountsOf(values)).toMatchObject({
      "check-secrets": { mountPath: "/run/secrets/outpost-checks", readOnly: true },
      runtimes: { mountPath: "/runtimes", readOnly: true },
    });
    expect(variablesOf(values)).toMatchObject({ SECRETS_DIR: "/run/secrets/outpost-checks", RUNTIMES_DIR: "/runtimes/opt/runtimes" });
  });

  it("are where the image has its runtimes, and nowhere, when nothing is said", () => {
    expect(variablesOf({})["RUNTIMES_DIR"]).toBe("/opt/outpost/runtimes");
    expect(variablesOf({})).not.toHaveProperty("SECRETS_DIR");
    expect(variablesOf({ runtimes: { volume: { emptyDir: {} } } })["RUNTIMES_DIR"]).toBe("/runtimes");
    expect(Object.keys(mountsOf({}))).toEqual(["data", "api-key"]);
  });

  it.each([
    [{ runtimes: { inImage: true } }, "404Mi", "1576Mi"],
    [{ runtimes: { volume: { emptyDir: {} } }, scripts: { concurrency: 1 } }, "212Mi", "616Mi"],
    [{ runtimes: { inImage: true }, scripts: { sandbox: "off" } }, "148Mi", "296Mi"],
  ])("make room for scripts: %o", (values, request, limit) => {
    expect(agentOf(values).resources).toMatchObject({ requests: { memory: request }, limits: { memory: limit } });
  });
});

describe.skipIf(!chartTools())("browser checks", () => {
  const values = { browser: { enabled: true, concurrency: 2, multiStepConcurrency: 3 } };

  it("have their image, a folder of their own and time to end", () => {
    const pod = podOf(values);
    expect(agentOf(values).image).toMatch(/^outpost\/agent-browser:/);
    expect(agentOf(values).volumeMounts).toContainEqual({ name: "browser", mountPath: "/data/browser" });
    expect(pod.volumes).toContainEqual({ name: "browser", emptyDir: { sizeLimit: "2176Mi" } });
    expect(pod.terminationGracePeriodSeconds).toBe(305);
    expect(variablesOf(values)).toMatchObject({ SHUTDOWN_GRACE_SECONDS: "300", BROWSER_CONCURRENCY: "2", MULTI_STEP_CONCURRENCY: "3" });
    expect(variablesOf({})).not.toHaveProperty("BROWSER_CONCURRENCY");
  });

  it("of suites have a folder for what they keep, memory of their own, and need browsers", () => {
    const suites = { suites: { concurrency: 1, bundleCacheMb: 100, dependencyCacheMb: 900, registry: "https://npm.example.com/" } };
    const whole = { ...values, ...suites };
    expect(podOf(whole).volumes).toContainEqual({ name: "suites", emptyDir: { sizeLimit: "5196Mi" } });
    expect(agentOf(whole).volumeMounts).toContainEqual({ name: "suites", mountPath: "/data/suites" });
    expect(variablesOf(whole)).toMatchObject({ SUITE_CONCURRENCY: "1", BUNDLE_CACHE_MB: "100", NPM_REGISTRY: "https://npm.example.com/" });
    expect(agentOf(whole).resources).toMatchObject({ requests: { memory: "4652Mi" }, limits: { memory: "7174Mi" } });
    expect(() => podOf(suites)).toThrow(/set browser.enabled to true/);
  });

  it("of prompts know the model, have its key as a file and memory of their own, and need browsers", () => {
    const agentic = { model: { url: "http://llm:8000/v1", name: "small" }, keySecret: { name: "model", key: "token" }, concurrency: 2 };
    const whole = { ...values, agentic };
    expect(variablesOf(whole)).toMatchObject({
      AGENTIC_MODEL_URL: "http://llm:8000/v1",
      AGENTIC_MODEL: "small",
      AGENTIC_KEY_FILE: "/run/secrets/outpost-model/model-key",
      AGENTIC_CONCURRENCY: "2",
      AGENTIC_MAX_TOKENS: "200000",
    });
    expect(podOf(whole).volumes).toContainEqual({
      name: "model-key",
      secret: { secretName: "model", defaultMode: 288, items: [{ key: "token", path: "model-key" }] },
    });
    expect(agentOf(whole).resources).toMatchObject({ requests: { cpu: "2200m", memory: "4404Mi" }, limits: { memory: "6926Mi" } });
    expect(variablesOf(values)).not.toHaveProperty("AGENTIC_MODEL_URL");
    expect(() => podOf({ agentic })).toThrow(/a model acts in a browser; set browser.enabled to true/);
    expect(() => podOf({ ...values, agentic: { model: { url: "http://llm/v1" } } })).toThrow(/say which model/);
  });

  it("get memory for their seats, for what waits and for scripts", () => {
    expect(agentOf(values).resources).toEqual({ requests: { cpu: "1200m", memory: "2604Mi" }, limits: { memory: "5126Mi" } });
  });
});

describe.skipIf(!chartTools())("the sizing rule", () => {
  it.each([
    { jobConcurrency: 10, resources: {}, requests: { cpu: "200m", memory: "148Mi" }, limits: { memory: "296Mi" } },
    { jobConcurrency: 200, resources: {}, requests: { cpu: "2100m", memory: "528Mi" }, limits: { memory: "1056Mi" } },
    { jobConcurrency: 10, resources: { requests: { cpu: 2 } }, requests: { cpu: "2", memory: "148Mi" }, limits: { memory: "296Mi" } },
    { jobConcurrency: 10, resources: { limits: { memory: "" } }, requests: { cpu: "200m", memory: "148Mi" }, limits: undefined },
  ])("follows $jobConcurrency seats unless told $resources", ({ jobConcurrency, resources, requests, limits }) => {
    expect(agentOf({ jobConcurrency, resources }).resources).toEqual({ requests, ...(limits && { limits }) });
  });
});

describe.skipIf(!chartTools())("scaling", () => {
  it("by KEDA adds the location's jobs that wait and those that agents hold, per seat that is aimed at", () => {
    const { spec } = objectsOf({ jobConcurrency: 30, keda: { enabled: true, location: "berlin" } })("ScaledObject");
    expect(spec.advanced.scalingModifiers).toEqual({ formula: "queued + leased", target: "21", metricType: "AverageValue" });
    expect(spec.triggers.map(({ name, metadata }: Field) => [name, metadata.url, metadata.valueLocation])).toEqual([
      ["queued", "https://outpost.example.com/metrics", 'outpost_jobs_queued{location="berlin"}'],
      ["leased", "https://outpost.example.com/metrics", 'outpost_jobs_leased{location="berlin"}'],
    ]);
  });

  it("by KEDA and a Prometheus counts a queue once, of which each process of the control plane tells", () => {
    const keda = { enabled: true, location: "berlin", source: "prometheus", prometheus: { serverAddress: "http://prometheus:9090" } };
    const [trigger] = objectsOf({ keda })("ScaledObject").spec.triggers;
    expect(trigger.metadata.query).toMatch(
      /^\(max\(outpost_jobs_queued\{location="berlin"\}\) or vector\(0\)\) \+ \(sum\(outpost_agent_jobs_running\{/,
    );
  });

  it("by KEDA takes a token and a CA for its source", () => {
    const keda = { enabled: true, location: "berlin", tokenSecret: { name: "token" }, caSecret: { name: "ca" } };
    const object = objectsOf({ keda });
    expect(object("ScaledObject").spec.triggers).toMatchObject([
      { metadata: { authMode: "bearer" }, authenticationRef: { name: "outpost-outpost-agent" } },
      { metadata: { authMode: "bearer" }, authenticationRef: { name: "outpost-outpost-agent" } },
    ]);
    expect(object("TriggerAuthentication").spec.secretTargetRef).toEqual([
      { parameter: "token", name: "token", key: "token" },
      { parameter: "ca", name: "ca", key: "ca.crt" },
    ]);
  });

  it("by either leaves the number of replicas to it", () => {
    expect(objectsOf({})("Deployment").spec.replicas).toBe(2);
    for (const values of [{ autoscaling: { enabled: true } }, { keda: { enabled: true, location: "berlin" } }]) {
      expect(objectsOf(values)("Deployment").spec).not.toHaveProperty("replicas");
    }
  });
});

describe.skipIf(!chartTools())("the network", () => {
  it.each([
    { apiUrl: "https://outpost.example.com", port: 443 },
    { apiUrl: "http://outpost.example.com/base", port: 80 },
    { apiUrl: "http://outpost.example.com:3000", port: 3000 },
    { apiUrl: "https://[2001:db8::1]:8443/", port: 8443 },
    { apiUrl: "https://[2001:db8::1]", port: 443 },
  ])("of a closed agent of $apiUrl has port $port open", ({ apiUrl, port }) => {
    const { egress, policyTypes } = objectsOf({ apiUrl, networkPolicy: { egress: { restricted: true } } })("NetworkPolicy").spec;
    expect(policyTypes).toEqual(["Ingress", "Egress"]);
    expect(egress[1]).toEqual({ ports: [{ port, protocol: "TCP" }] });
  });

  it.each([
    { proxy: { https: "http://proxy.example.com:3128" }, ports: [3128] },
    { proxy: { https: "https://proxy.example.com" }, ports: [443] },
    { proxy: { https: "http://u:p@proxy.example.com:3128/", noProxy: [".svc"] }, ports: [3128, 8443] },
    { proxy: { http: "http://proxy.example.com:3128" }, ports: [8443] },
  ])("of a closed agent behind $proxy has ports $ports open towards the control plane", ({ proxy, ports }) => {
    const values = { apiUrl: "https://outpost.example.com:8443", proxy, networkPolicy: { egress: { restricted: true } } };
    const { egress } = objectsOf(values)("NetworkPolicy").spec;
    expect(egress[1]).toEqual({ ports: ports.map((port) => ({ port, protocol: "TCP" })) });
  });

  it("keeps egress open when nothing is said, as an agent must reach its targets", () => {
    const { policyTypes, egress } = objectsOf({})("NetworkPolicy").spec;
    expect([policyTypes, egress]).toEqual([["Ingress"], undefined]);
  });

  it("puts all CAs into one folder, each under a name that the agent reads", () => {
    const pem = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----";
    const values = { extraCas: { pem, configMap: { name: "a" }, secret: { name: "b", keys: ["ca.crt", "old"] } } };
    const volume = podOf(values).volumes.find(({ name }: Field) => name === "extra-ca");
    const paths = volume.projected.sources.flatMap(({ configMap, secret }: Field) =>
      (configMap ?? secret).items.map(({ path }: Field) => path),
    );
    expect(paths).toEqual(["ca.pem", "configmap-ca.crt.pem", "secret-ca.crt.pem", "secret-old.pem"]);
    expect(variablesOf(values)["NODE_EXTRA_CA_CERTS"]).toBe("/etc/outpost/ca");
  });

  it("takes proxies with passwords from a Secret, which wins over plain ones", () => {
    const proxy = { https: "http://plain:1", http: "http://plain:1", existingSecret: { name: "proxy" } };
    const { env } = agentOf({ proxy });
    expect(env).toContainEqual({ name: "HTTPS_PROXY", valueFrom: { secretKeyRef: { name: "proxy", key: "https-proxy" } } });
    expect(env).toContainEqual({ name: "HTTP_PROXY", value: "http://plain:1" });
  });

  it("asks for names as they are, since look-ups are part of what is measured", () => {
    expect(podOf({}).dnsConfig).toEqual({ options: [{ name: "ndots", value: "1" }] });
    expect(podOf({ hostNetwork: true }).dnsPolicy).toBe("ClusterFirstWithHostNet");
  });
});

describe.skipIf(!chartTools())("helm test", () => {
  it("examines what the agents meet: the same variables, mounts, rights and place", () => {
    const values = {
      captures: true,
      nodeSelector: { zone: "dmz" },
      extraCas: { secret: { name: "ca" } },
      extraEnv: [{ name: "TZ", value: "UTC" }],
    };
    const object = objectsOf(values);
    const doctor = object("Pod", "-doctor");
    const agent = object("Deployment").spec.template.spec;
    const own = ["name", "args", "ports", "startupProbe", "livenessProbe", "readinessProbe"];
    const shared = Object.fromEntries(Object.entries(agent.containers[0]).filter(([field]) => !own.includes(field)));
    expect(doctor.metadata.annotations).toMatchObject({ "helm.sh/hook": "test" });
    expect(doctor.spec.containers).toEqual([{ ...shared, name: "doctor", args: ["doctor"] }]);
    expect(doctor.spec.volumes).toEqual(agent.volumes);
    expect(doctor.spec.nodeSelector).toEqual(agent.nodeSelector);
  });
});

describe.skipIf(!chartTools())("the health addresses of helm test", () => {
  it.each([
    { readiness: 200, exitCode: 0 },
    { readiness: 503, exitCode: 1 },
  ])("pass when an agent's readiness answers 200 only: $readiness", async ({ readiness, exitCode }) => {
    const asked: string[] = [];
    await using server = await listening((request, response) => {
      asked.push(request.url ?? "");
      response.writeHead(request.url === "/-/readiness" ? readiness : 200).end("{}");
    });
    const text = objectsOf({})("ConfigMap", "-health").data["checks.yaml"];
    const checks = text.replaceAll(/http:\/\/[^/]+/g, `http://127.0.0.1:${server.port}`);
    const args = [...outpostProgram(), "run", "-"];
    const run = spawn(process.execPath, args, { env: {}, stdio: ["pipe", "ignore", "ignore"], timeout: 15_000 });
    run.stdin.end(checks);
    expect(await once(run, "close")).toEqual([exitCode, null]);
    expect(asked).toEqual(["/-/liveness", "/-/readiness", "/health", "/metrics"]);
  });
});

describe.skipIf(!chartTools())("extra manifests", () => {
  it("are rendered, as maps and as texts, with the templates in them filled in", () => {
    const extraManifests = [
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "{{ .Release.Name }}-map" }, data: { url: "{{ .Values.apiUrl }}" } },
      "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: '{{ .Release.Namespace }}-text' }",
    ];
    const object = objectsOf({ extraManifests });
    expect(object("ConfigMap", "outpost-map").data).toEqual({ url: "https://outpost.example.com" });
    expect(object("ConfigMap", "monitoring-text").metadata.name).toBe("monitoring-text");
  });
});

describe.skipIf(!chartTools())("the notes", () => {
  it("say what to do next", () => {
    const notes = renderNotes("agent", needed);
    expect(notes).toContain("kubectl -n monitoring rollout status deployment/outpost-outpost-agent");
    expect(notes).toContain("kubectl -n monitoring exec deployment/outpost-outpost-agent -c agent -- outpost doctor");
    expect(notes).toContain("helm -n monitoring test outpost --logs");
    expect(notes).not.toContain("Please note");
  });

  it.each([
    { values: { apiKey: { value: "pl_1", existingSecret: { name: "" } } }, says: "apiKey.existingSecret.name" },
    { values: { apiKey: { file: "/x", existingSecret: { name: "" } } }, says: "nothing mounts it" },
    { values: { apiUrl: "http://outpost" }, says: "in the clear" },
    { values: { replicas: 1 }, says: "replicas is 1" },
    { values: { proxy: { https: "http://u:p@proxy" } }, says: "proxy.existingSecret.name" },
    { values: { captures: true }, says: "pod-security.kubernetes.io/enforce=privileged" },
    { values: { hostNetwork: true }, says: "ping_group_range on the nodes" },
    { values: { prometheusRule: { enabled: true } }, says: "prometheusRule without serviceMonitor" },
  ])("warn of $values", ({ values, says }) => {
    expect(renderNotes("agent", { ...needed, ...values })).toContain(says);
  });
});

async function listening(answer: RequestListener): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
