import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ControlPlaneEnv, readControlPlaneConfig } from "../../src/control-plane/config.ts";
import { probePages } from "../../src/control-plane/probes/probe-pages.ts";
import { createWorks } from "../../src/control-plane/probes/works.ts";
import { chartTools, type Field, type Manifest, render, renderNotes, validate } from "../support/chart-tools.ts";
import { controlPlaneMatrix } from "./control-plane-matrix.ts";

const cases = Object.entries(controlPlaneMatrix).map(([name, values]) => ({ name, values }));
const postgresql = {
  database: { type: "postgresql", existingSecret: { name: "pg" } },
  keyPepper: { existingSecret: { name: "pepper" } },
  encryptionKey: { existingSecret: { name: "encryption" } },
};
const alertChannels = {
  smtp: { existingSecret: { name: "mail" }, from: "Outpost <alerts@example.com>", tls: "required" },
  twilio: { accountSid: "AC0123456789", from: "+49301234567", existingSecret: { name: "twilio", key: "token" } },
  slack: { existingSecret: { name: "slack" } },
};
const oidc = { issuer: "https://id.example.com", clientId: "outpost", existingSecret: { name: "oidc" } };
const secretUrl = "postgres://outpost:hunter2@db/outpost";
const secretPepper = "a-pepper-of-more-than-32-characters";
const secretMail = "smtp://outpost:hunter2@mail.example.com:587";
const secretKey = "c0ffee".repeat(11).slice(0, 64);

describe.skipIf(!chartTools())("the chart of the control plane", () => {
  describe.each(cases)("with $name", ({ values }) => {
    const all = (): Manifest[] => render("control-plane", values);

    it("has no pod with a token, a service link, root, a writable root file system or a capability", () => {
      for (const { spec } of podsOf(all())) {
        expect(spec).toMatchObject({
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: { runAsNonRoot: true },
        });
        for (const { name, securityContext } of spec.containers.filter(({ name }: Field) => name !== "side")) {
          expect({ name, ...securityContext }).toMatchObject({ readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } });
        }
      }
    });

    it("mounts only volumes that the pod has, and each at a place of its own", () => {
      for (const { spec, claims } of podsOf(all())) {
        const volumes = [...(spec.volumes ?? []).map(({ name }: Field) => name), ...claims];
        expect(volumes).toEqual([...new Set(volumes)]);
        for (const { volumeMounts = [] } of spec.containers) {
          expect(volumes).toEqual(expect.arrayContaining(volumeMounts.map(({ name }: Field) => name)));
          const places = volumeMounts.map(({ mountPath }: Field) => mountPath);
          expect(places).toEqual([...new Set(places)]);
        }
      }
    });

    it("selects the control plane's pods, and neither those of the migrations nor of the test", () => {
      const manifests = all();
      const pods = podsOf(manifests);
      for (const [what, selector] of selectorsIn(manifests)) {
        const selected = pods.filter(({ labels }) => Object.entries(selector).every(([key, value]) => labels[key] === value));
        expect([what, selected.map(({ kind }) => kind)]).toEqual([what, [expect.stringMatching(/^(StatefulSet|Deployment)$/)]]);
      }
    });

    it("gives a hook only what is there when it runs", () => {
      const manifests = all();
      const tooLate = manifests
        .filter(({ kind }) => kind === "Job")
        .flatMap((job) =>
          referencesOf(job.spec.template.spec).filter(([kind, name]) =>
            // What is no part of the release was made before it.
            manifests.some((it) => it.kind === kind && it.metadata.name === name && weightOf(it) >= weightOf(job)),
          ),
        );
      expect(tooLate).toEqual([]);
    });
  });

  it("wires the ports to everything", () => {
    const values = {
      ...postgresql,
      port: 8123,
      probePort: 8124,
      serviceMonitor: { enabled: true },
      ingress: { enabled: true, hosts: [{ host: "a.example.com" }] },
      networkPolicy: { ingress: { from: [{ podSelector: {} }] } },
    };
    const manifests = render("control-plane", values);
    const { containers } = one(manifests, "Deployment").spec.template.spec;
    const [container] = containers;
    expect(container.ports).toEqual([
      { name: "http", containerPort: 8123, protocol: "TCP" },
      { name: "probes", containerPort: 8124, protocol: "TCP" },
    ]);
    expect(envOf(container)).toMatchObject({ PORT: "8123", PROBE_PORT: "8124" });
    for (const probe of ["startupProbe", "livenessProbe", "readinessProbe"]) expect(container[probe].httpGet.port).toBe("probes");
    expect(one(manifests, "Service").spec.ports).toEqual([expect.objectContaining({ name: "http", port: 8123, targetPort: "http" })]);
    expect(one(manifests, "Ingress").spec.rules[0].http.paths[0].backend.service.port).toEqual({ name: "http" });
    expect(one(manifests, "NetworkPolicy").spec.ingress[0].ports).toEqual([
      { port: 8123, protocol: "TCP" },
      { port: 8124, protocol: "TCP" },
    ]);
    expect(one(manifests, "ServiceMonitor").spec.endpoints[0].targetPort).toBe("probes");
    expect(one(manifests, "Pod").spec.containers[0].args.at(-1)).toBe("http://outpost-control-plane.monitoring.svc:8123/-/readiness");
  });

  it("keeps words that look like numbers words: the names of a release, its namespace and its Secrets", () => {
    const secret = { existingSecret: { name: "8", key: "1.5" } };
    const values = {
      database: { type: "postgresql", ...secret },
      keyPepper: secret,
      encryptionKey: secret,
      alertChannels: {
        smtp: { ...secret, from: "1@2" },
        twilio: { ...secret, accountSid: "AC00000000", from: "+4930123456" },
        slack: secret,
      },
      nameOverride: "11",
      serviceAccount: { name: "7" },
    };
    const manifests = render(
      "control-plane",
      { ...values, ingress: { enabled: true, hosts: [{ host: "a.example.com" }], className: "9" } },
      {
        release: "1e3",
        namespace: "2026",
      },
    );
    expect(validate(manifests)).toEqual([]);
    expect(manifests.map(({ metadata }) => [metadata.namespace, metadata.labels?.["app.kubernetes.io/instance"]])).toEqual(
      manifests.map(() => ["2026", "1e3"]),
    );
  });

  it("probes addresses that the control plane has, each for what it is", () => {
    const works = createWorks({ nowMs: Date.now, monotonicMs: () => 0, log: undefined as never }); // nothing fails
    const { pages } = probePages({ accounts: { list: async () => [] }, works, clockSteps: { last: () => null } });
    const [container] = one(render("control-plane", {}), "StatefulSet").spec.template.spec.containers;
    const asked = ["startupProbe", "livenessProbe", "readinessProbe"].map((probe) => container[probe].httpGet.path);
    expect(asked).toEqual(["/-/liveness", "/-/liveness", "/-/readiness"]);
    expect(pages.map(({ path }) => path)).toEqual(expect.arrayContaining(asked));
  });

  it("sets every variable of the control plane, with secrets as files", () => {
    const urls = {
      publicUrl: "https://outpost.example.com",
      pingUrl: "https://ping.example.com",
      traceViewerUrl: "https://traces.example.com",
    };
    const encryptionKey = { ...postgresql.encryptionKey, previous: { existingSecret: { name: "before" } } };
    const s3 = { endpoint: "https://s3.example.com", bucket: "files", existingSecret: { name: "s3" } };
    const values = {
      ...postgresql,
      ...urls,
      encryptionKey,
      artifacts: { store: "s3", s3 },
      alertChannels,
      oidc,
      rootCauseModel: { url: "http://llm.example.com/v1", name: "small", existingSecret: { name: "llm" } },
      telemetry: {
        endpoint: "http://collector:4318",
        existingSecret: { name: "collector" },
        serviceName: "watch",
        resourceAttributes: ["deployment.environment.name=test"],
        traceUrlTemplate: "https://grafana.example.com/{traceId}",
      },
      config: { detailsKeepDays: 7, auditLines: true, egressAddresses: ["berlin=192.0.2.7"] },
      serviceMonitor: { existingSecret: { name: "metrics" } },
      tls: { existingSecret: { name: "tls" } },
      trustedProxies: ["10.7.0.0/16"],
      pageDomainDns: ["192.0.2.53"],
      watchdog: { existingSecret: { name: "watchdog" } },
      proxy: { https: "http://proxy:3128", http: "http://proxy:3128", smtp: "http://proxy:3128", noProxy: [".svc"] },
    };
    const env = envOf(one(render("control-plane", values), "Deployment").spec.template.spec.containers[0]);
    const names = Object.keys(ControlPlaneEnv.shape);
    const variables = names.filter((name) => !names.includes(`${name}_FILE`)); // where both are there, the chart takes the file
    expect(Object.keys(env).toSorted()).toEqual(variables.toSorted());
  });

  it("has the control plane's own defaults, but for where it listens and keeps its data", () => {
    const env = envOf(one(render("control-plane", {}), "StatefulSet").spec.template.spec.containers[0]);
    const { host, dataDir, publicUrl, probePort, ...rest } = readControlPlaneConfig(env);
    expect({ host, dataDir, publicUrl, probePort }).toEqual({
      host: "::",
      dataDir: "/data",
      publicUrl: "http://outpost-control-plane.monitoring.svc:3000",
      probePort: 3001,
    });
    expect(readControlPlaneConfig({})).toMatchObject(rest);
  });

  it("gives the control plane the accounts of its alert channels, and its migrations none", () => {
    const manifests = render("control-plane", { ...postgresql, alertChannels });
    const { containers, volumes } = one(manifests, "Deployment").spec.template.spec;
    expect(envOf(containers[0])).toMatchObject({
      SMTP_URL_FILE: "/run/secrets/outpost/smtp-url",
      SMTP_FROM: "Outpost <alerts@example.com>",
      SMTP_TLS: "required",
      TWILIO_ACCOUNT_SID: "AC0123456789",
      TWILIO_AUTH_TOKEN_FILE: "/run/secrets/outpost/twilio-auth-token",
      TWILIO_FROM: "+49301234567",
      SLACK_BOT_TOKEN_FILE: "/run/secrets/outpost/slack-bot-token",
    });
    const { sources } = volumes.find(({ name }: Field) => name === "secrets").projected;
    expect(sources.slice(-3)).toEqual([
      { secret: { name: "mail", items: [{ key: "url", path: "smtp-url" }] } },
      { secret: { name: "twilio", items: [{ key: "token", path: "twilio-auth-token" }] } },
      { secret: { name: "slack", items: [{ key: "bot-token", path: "slack-bot-token" }] } },
    ]);
    expect(JSON.stringify(one(manifests, "Job"))).not.toMatch(/smtp|twilio-auth|slack-bot|TWILIO_ACCOUNT_SID/i);
  });

  it("waits longer than a drain takes before it kills", () => {
    const program = readFileSync(join(import.meta.dirname, "../../src/control-plane/control-plane.ts"), "utf8");
    const drainSeconds = Number(/drainMs = ([\d_]+)/.exec(program)?.[1]?.replaceAll("_", "")) / 1000;
    const pod = one(render("control-plane", postgresql), "Deployment").spec.template.spec;
    const { seconds: pause } = pod.containers[0].lifecycle.preStop.sleep;
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(drainSeconds + pause);
  });

  it("pauses before SIGTERM only where Kubernetes can", () => {
    const container = (kubeVersion: string): Field =>
      one(render("control-plane", postgresql, { kubeVersion }), "Deployment").spec.template.spec.containers[0];
    expect(container("1.29.9").lifecycle).toBeUndefined();
    expect(container("1.30.1-eks-77")["lifecycle"]).toEqual({ preStop: { sleep: { seconds: 5 } } });
  });

  it("runs one process on one SQLite file, on a volume that outlives chart versions", () => {
    const manifests = render("control-plane", {});
    const { spec } = one(manifests, "StatefulSet");
    expect(spec).toMatchObject({ replicas: 1, podManagementPolicy: "Parallel", updateStrategy: { type: "RollingUpdate" } });
    const [claim] = spec.volumeClaimTemplates;
    expect(claim.spec).toEqual({ accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "10Gi" } } });
    expect(JSON.stringify(claim.metadata)).not.toContain("0.1.0");
    expect(one(manifests, "Service", spec.serviceName).spec.clusterIP).toBe("None");
    expect(manifests.map(({ kind }) => kind)).not.toContain("PodDisruptionBudget");
  });

  it("replaces PostgreSQL processes one by one, none of them missing", () => {
    const manifests = render("control-plane", { ...postgresql, replicas: 3 });
    const { spec } = one(manifests, "Deployment");
    expect(spec).toMatchObject({ replicas: 3, strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } } });
    expect(one(manifests, "PodDisruptionBudget").spec).toMatchObject({ maxUnavailable: 1, unhealthyPodEvictionPolicy: "AlwaysAllow" });
    for (const spread of spec.template.spec.topologySpreadConstraints) {
      expect(spread).toMatchObject({ labelSelector: { matchLabels: spec.selector.matchLabels }, matchLabelKeys: ["pod-template-hash"] });
    }
  });

  it("leaves the number of processes to the autoscaler", () => {
    const manifests = render("control-plane", { ...postgresql, autoscaling: { enabled: true } });
    expect(one(manifests, "Deployment").spec).not.toHaveProperty("replicas");
    expect(one(manifests, "HorizontalPodAutoscaler").spec.scaleTargetRef).toEqual({
      apiVersion: "apps/v1",
      kind: "Deployment",
      name: one(manifests, "Deployment").metadata.name,
    });
    expect(manifests.map(({ kind }) => kind)).toContain("PodDisruptionBudget");
  });

  it("keeps secrets in Secrets, and changes the pods with them", () => {
    const values = {
      database: { type: "postgresql", url: secretUrl },
      keyPepper: { value: secretPepper },
      encryptionKey: { value: secretKey },
      alertChannels: { smtp: { url: secretMail } },
    };
    const manifests = render("control-plane", values);
    const open = JSON.stringify(manifests.filter(({ kind }) => kind !== "Secret"));
    for (const secret of [secretUrl, secretPepper, secretKey, secretMail].flatMap((text) => [text, btoa(text)])) {
      expect(open).not.toContain(secret);
    }
    const stamp = (given: object): unknown =>
      one(render("control-plane", given), "Deployment").spec.template.metadata.annotations["checksum/secrets"];
    expect(stamp(values)).not.toBe(stamp({ ...values, database: { type: "postgresql", url: `${secretUrl}2` } }));
    expect(stamp(values)).not.toBe(stamp({ ...values, alertChannels: { smtp: { url: `${secretMail}/` } } }));
    expect(stamp(values)).toBe(stamp({ ...values, replicas: 2 }));
  });

  it("migrates before anything else, and leaves nothing behind", () => {
    const keys = { keyPepper: { value: secretPepper }, encryptionKey: { value: secretKey } };
    const manifests = render("control-plane", { database: { type: "postgresql", url: secretUrl }, ...keys });
    const job = one(manifests, "Job");
    expect(job.metadata.annotations).toEqual({
      "helm.sh/hook": "pre-install,pre-upgrade",
      "helm.sh/hook-weight": "0",
      "helm.sh/hook-delete-policy": "before-hook-creation,hook-succeeded",
    });
    expect(job.spec.template.spec.containers[0].args).toEqual(["migrate"]);
    const secret = one(manifests, "Secret", "outpost-control-plane-migrate");
    expect(secret.metadata.annotations).toEqual({ ...job.metadata.annotations, "helm.sh/hook-weight": "-5" });
    expect(secret.data).toEqual({ url: btoa(secretUrl) });
  });

  it.each([
    ["the pepper", { keyPepper: { value: secretPepper } }],
    ["the encryption key", { encryptionKey: { value: secretKey } }],
  ])("keeps %s when the release is removed", (_what, values) => {
    expect(one(render("control-plane", values), "Secret").metadata.annotations).toEqual({ "helm.sh/resource-policy": "keep" });
  });

  it.each([
    { given: { publicUrl: "https://a.example.com" }, expected: "https://a.example.com" },
    { given: { ingress: { enabled: true, hosts: [{ host: "b.example.com" }] } }, expected: "http://b.example.com" },
    {
      given: { ingress: { enabled: true, hosts: [{ host: "b.example.com" }], tls: [{ secretName: "b" }] } },
      expected: "https://b.example.com",
    },
    {
      given: { ingress: { enabled: true, hosts: [{ host: "*.example.com" }] } },
      expected: "http://outpost-control-plane.monitoring.svc:3000",
    },
    {
      given: { httpRoute: { enabled: true, parentRefs: [{ name: "public" }], hostnames: ["c.example.com"] } },
      expected: "https://c.example.com",
    },
  ])("takes $expected for the base of links", ({ given, expected }) => {
    expect(envOf(one(render("control-plane", given), "StatefulSet").spec.template.spec.containers[0])["PUBLIC_URL"]).toBe(expected);
  });

  it.each([
    { release: "outpost", values: {}, name: "outpost-control-plane" },
    { release: "outpost-control-plane", values: {}, name: "outpost-control-plane" },
    { release: "mine", values: {}, name: "mine-outpost-control-plane" },
    { release: "mine", values: { nameOverride: "cp" }, name: "mine-cp" },
    { release: "mine", values: { fullnameOverride: "all" }, name: "all" },
  ])("is called $name as release $release with $values", ({ release, values, name }) => {
    expect(one(render("control-plane", values, { release }), "StatefulSet").metadata.name).toBe(name);
  });

  it("lets the test in where the network is closed, and asks DNS, the database, the store of files, mail servers and channels only", () => {
    const { spec } = one(render("control-plane", controlPlaneMatrix["PostgreSQL in a closed network"] ?? {}), "NetworkPolicy");
    expect(spec.ingress[0].from.at(-1).podSelector.matchLabels).toMatchObject({ "app.kubernetes.io/component": "test" });
    expect(spec.egress.map(({ ports }: Field) => ports?.map(({ port }: Field) => port))).toEqual([
      [53, 53],
      [6432],
      [9000],
      [25, 465, 587],
      [443, 8443],
      undefined,
    ]);
  });

  it.each([
    { what: "DNS and channels", values: {}, ports: [[53, 53], [443]] },
    { what: "DNS alone, where channels have no port", values: { channels: { ports: [] } }, ports: [[53, 53]] },
  ])("asks $what, where neither a database nor a mail server is given", ({ values, ports }) => {
    const { spec } = one(render("control-plane", { networkPolicy: { egress: { restricted: true, ...values } } }), "NetworkPolicy");
    expect(spec.egress.map((rule: Field) => rule.ports.map(({ port }: Field) => port))).toEqual(ports);
  });
});

describe.skipIf(!chartTools())("what an operator reads after the install", () => {
  it("is the way to the first key, the first location and its agents", () => {
    const notes = renderNotes("control-plane", {});
    for (const line of [
      "kubectl exec --namespace monitoring statefulset/outpost-control-plane -- outpost keys create --role READ_WRITE",
      "kubectl exec --namespace monitoring statefulset/outpost-control-plane -- outpost location-key --create berlin",
      "--set apiUrl=http://outpost-control-plane.monitoring.svc:3000",
      "helm test --namespace monitoring outpost",
    ]) {
      expect(notes).toContain(line);
    }
    expect(notes).not.toContain("Please note");
  });

  it("names values of the agent's chart that it has", () => {
    const given = [...renderNotes("control-plane", {}).matchAll(/--set (\S+)/g)].map(([, assignment = ""]) => assignment);
    expect(render("agent", {}, { set: given }).length).toBeGreaterThan(0);
  });

  it.each([
    { values: { persistence: { enabled: false } }, says: "NOTHING IS KEPT" },
    { values: postgresql, says: "replicas is 1" },
    { values: { keyPepper: { value: secretPepper } }, says: "Keep a copy of the Secret outpost-control-plane-key-pepper" },
    { values: { alertChannels: { smtp: { url: secretMail } } }, says: "alertChannels.smtp.url stay readable in Helm's release" },
    { values: { encryptionKey: { value: secretKey } }, says: "Keep a copy of the Secret outpost-control-plane-encryption-key" },
    { values: { ingress: { enabled: true, hosts: [{ host: "a.example.com" }] } }, says: "The Ingress has no TLS" },
    { values: { prometheusRule: { enabled: true } }, says: "prometheusRule without serviceMonitor" },
    { values: postgresql, says: "deployment/outpost-control-plane -- outpost keys create" },
  ])("says: $says", ({ values, says }) => {
    expect(renderNotes("control-plane", values)).toContain(says);
  });

  it("tells no secret", () => {
    const keys = { keyPepper: { value: secretPepper }, encryptionKey: { value: secretKey } };
    const smtp = { url: secretMail };
    const notes = renderNotes("control-plane", { database: { type: "postgresql", url: secretUrl }, ...keys, alertChannels: { smtp } });
    expect(notes).not.toContain("hunter2");
    expect(notes).not.toContain(secretPepper);
    expect(notes).not.toContain(secretKey);
  });
});

/** The only manifest of this kind, or that of this name. */
function one(manifests: readonly Manifest[], kind: string, name?: string): Manifest {
  const found = manifests.find((manifest) => manifest.kind === kind && (name === undefined || manifest.metadata.name === name));
  if (found === undefined) throw new Error(`there is no ${kind} ${name ?? ""}`);
  return found;
}

interface Pod {
  readonly kind: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: Field;
  readonly claims: readonly string[];
}

function podsOf(manifests: readonly Manifest[]): Pod[] {
  return manifests.flatMap(({ kind, metadata, spec }): Pod[] => {
    if (kind === "Pod") return [{ kind, labels: metadata.labels ?? {}, spec, claims: [] }];
    if (kind === "CronJob") return podsOf([{ metadata, ...spec.jobTemplate, kind: "Job of a CronJob" }]);
    if (spec?.template === undefined) return [];
    const claims = (spec.volumeClaimTemplates ?? []).map((claim: Manifest) => claim.metadata.name);
    return [{ kind, labels: spec.template.metadata.labels, spec: spec.template.spec, claims }];
  });
}

/** Every label selector of the release that is about pods, with what it belongs to. */
function selectorsIn(manifests: readonly Manifest[]): [string, Readonly<Record<string, string>>][] {
  return manifests.flatMap(({ kind, metadata, spec }): [string, Readonly<Record<string, string>>][] => {
    if (kind === "Service") return [[`Service ${metadata.name}`, spec.selector]];
    if (kind === "NetworkPolicy") return [[kind, spec.podSelector.matchLabels]];
    if (["StatefulSet", "Deployment", "PodDisruptionBudget"].includes(kind)) return [[kind, spec.selector.matchLabels]];
    return [];
  });
}

function envOf({ env }: Field): Record<string, string> {
  return Object.fromEntries(env.map(({ name, value }: Field) => [name, value]));
}

/** Objects of the namespace that a pod cannot start without. */
function referencesOf(pod: Field): [string, string][] {
  const sources: Field[] = pod.volumes.flatMap((volume: Field) => [volume, ...(volume.projected?.sources ?? [])]);
  return [
    ["ServiceAccount", pod.serviceAccountName],
    ...sources.flatMap(({ secret, configMap }: Field): [string, string][] => [
      ...(secret ? [["Secret", secret.name ?? secret.secretName] as [string, string]] : []),
      ...(configMap ? [["ConfigMap", configMap.name] as [string, string]] : []),
    ]),
  ];
}

/** When Helm makes an object before an install: hooks by their weight, everything else after them. */
function weightOf({ metadata }: Manifest): number {
  const { "helm.sh/hook": hook = "", "helm.sh/hook-weight": weight = "0" } = metadata.annotations ?? {};
  return hook.includes("pre-install") ? Number(weight) : Number.POSITIVE_INFINITY;
}
