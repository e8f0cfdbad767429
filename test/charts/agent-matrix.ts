const needed = { apiUrl: "https://outpost.example.com", apiKey: { existingSecret: { name: "outpost-key" } } };

const restrictedContainer = {
  image: "example/sidecar:1",
  securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
};
const pem = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----";

/** Values of charts/agent that must render, lint and be accepted by Kubernetes, by what they are about. */
export const agentMatrix: Readonly<Record<string, object>> = {
  "no more than is needed": needed,
  "two locations, one with everything of its own": {
    apiUrl: needed.apiUrl,
    apiKey: {},
    serviceAccount: { name: "agents" },
    serviceMonitor: { enabled: true },
    prometheusRule: { enabled: true },
    dashboard: { enabled: true },
    locations: [
      { name: "berlin", apiKey: { existingSecret: { name: "berlin-key" } } },
      {
        name: "a-location-with-a-long-name-30",
        apiKey: { value: "pl_0123456789" },
        outbox: { type: "pvc" },
        replicas: 3,
        nodeSelector: { "topology.kubernetes.io/zone": "paris-1" },
        browser: { enabled: true },
        extraCas: { pem },
        networkPolicy: { egress: { restricted: true, cidrs: ["10.0.0.0/8"] } },
      },
    ],
  },
  "a key out of a store, and a collector behind a closed network": {
    ...needed,
    externalSecrets: {
      store: { name: "vault", kind: "ClusterSecretStore" },
      secrets: { "outpost-key": { "api-key": { key: "outpost/berlin", property: "key", version: "3" } } },
    },
    telemetry: { endpoint: "https://collector.example.com" },
    networkPolicy: { egress: { restricted: true, telemetry: { to: [{ ipBlock: { cidr: "10.1.0.0/16" } }] } } },
  },
  "the key as a value": { ...needed, apiKey: { value: "pl_0123456789" } },
  "the key as a file of a CSI volume": {
    ...needed,
    apiKey: { file: "/run/secrets/csi/api-key" },
    extraVolumes: [{ name: "csi-key", csi: { driver: "secrets-store.csi.k8s.io", readOnly: true } }],
    extraVolumeMounts: [{ name: "csi-key", mountPath: "/run/secrets/csi", readOnly: true }],
  },
  "the small image of a private registry, by digest": {
    ...needed,
    image: { registry: "registry.example.com:5000", variant: "agent-uptime", digest: `sha256:${"0a".repeat(32)}` },
    imagePullSecrets: [{ name: "registry" }],
  },
  "runtimes of a volume, and secrets of a Secret": {
    ...needed,
    runtimes: { volume: { persistentVolumeClaim: { claimName: "runtimes", readOnly: true } } },
    secrets: { existingSecret: { name: "check-secrets" } },
    scripts: { sandbox: "require-2", concurrency: 8 },
  },
  "runtimes of another image": {
    ...needed,
    runtimes: { volume: { image: { reference: "registry.example.com/outpost/migration:1" } }, folder: "opt/outpost/runtimes" },
  },
  "runtimes of its own image, and secrets of a CSI volume": {
    ...needed,
    image: { repository: "mine/agent" },
    runtimes: { inImage: true },
    secrets: { folder: "/run/secrets/csi" },
    artifacts: { maxMb: 0 },
    extraVolumes: [{ name: "csi", csi: { driver: "secrets-store.csi.k8s.io", readOnly: true } }],
    extraVolumeMounts: [{ name: "csi", mountPath: "/run/secrets/csi", readOnly: true }],
  },
  "a volume for each agent": {
    ...needed,
    outbox: { type: "pvc", maxMb: 4096, pvc: { storageClass: "fast", annotations: { backup: "no" }, whenDeleted: "Delete" } },
  },
  "an autoscaler": { ...needed, autoscaling: { enabled: true, behavior: { scaleDown: { stabilizationWindowSeconds: 600 } } } },
  "KEDA on the control plane's metrics": {
    ...needed,
    keda: { enabled: true, location: "berlin", tokenSecret: { name: "metrics-token" }, caSecret: { name: "private-ca" } },
  },
  "KEDA on Prometheus": {
    ...needed,
    keda: {
      enabled: true,
      location: "berlin",
      source: "prometheus",
      prometheus: { serverAddress: "http://prometheus.monitoring:9090" },
      tokenSecret: { name: "prometheus-token" },
      fallback: { failureThreshold: 3, replicas: 4 },
      behavior: { scaleDown: { stabilizationWindowSeconds: 600 } },
    },
  },
  "packet captures": { ...needed, captures: true },
  "ICMP by NET_RAW": { ...needed, icmp: { mode: "netRaw" } },
  "no ICMP": { ...needed, icmp: { mode: "none" } },
  "everything that is watched": {
    ...needed,
    serviceMonitor: { enabled: true, labels: { release: "prometheus" }, scrapeTimeout: "10s" },
    prometheusRule: {
      enabled: true,
      alertLabels: { team: "network" },
      disabled: ["OutpostAgentLeasesLost"],
      extraRules: [{ record: "outpost:ready", expr: "sum(outpost_agent_ready)" }],
    },
    dashboard: { enabled: true, annotations: { grafana_folder: "Outpost" } },
  },
  "a closed network": {
    ...needed,
    healthPort: 9090,
    networkPolicy: {
      ingress: { from: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } } }] },
      egress: {
        restricted: true,
        dns: { to: [{ namespaceSelector: {}, podSelector: { matchLabels: { "k8s-app": "kube-dns" } } }] },
        controlPlane: { to: [{ ipBlock: { cidr: "192.0.2.10/32" } }] },
        cidrs: ["10.0.0.0/8", "fd00::/8"],
        rules: [{ to: [{ podSelector: {} }] }],
      },
    },
    targets: { mode: "public-only", allowCidrs: ["10.1.0.0/16"], denyCidrs: ["10.0.0.0/8"] },
  },
  "private CAs, proxies and names": {
    ...needed,
    extraCas: { pem, configMap: { name: "corporate-ca" }, secret: { name: "team-ca", keys: ["ca.crt", "older.crt"] } },
    proxy: { existingSecret: { name: "proxy", httpKey: "http-proxy" }, noProxy: [".svc", "10.0.0.0/8"] },
    dnsPolicy: "None",
    dnsConfig: { nameservers: ["10.96.0.10"], searches: ["example.com"] },
    hostAliases: [{ ip: "192.0.2.10", hostnames: ["outpost.example.com"] }],
  },
  "a platform that chooses users": { ...needed, podSecurityContext: { runAsUser: 65_000, runAsGroup: null, fsGroup: null } },
  "a place for each agent": {
    ...needed,
    nodeSelector: { zone: "dmz" },
    tolerations: [{ key: "dmz", operator: "Exists" }],
    affinity: { nodeAffinity: {} },
    topologySpreadConstraints: [
      {
        topologyKey: "topology.kubernetes.io/zone",
        maxSkew: 1,
        whenUnsatisfiable: "DoNotSchedule",
        labelSelector: { matchLabels: { a: "b" } },
      },
    ],
    podDisruptionBudget: { minAvailable: "50%" },
    rollingUpdate: { maxSurge: "100%" },
    resources: { requests: { cpu: 1, memory: "1Gi" }, limits: { memory: "" } },
  },
  "further containers, volumes and manifests": {
    ...needed,
    commonLabels: { team: "network", "app.kubernetes.io/part-of": "monitoring" },
    podLabels: { team: "edge" },
    podAnnotations: { note: "x" },
    annotations: { "reloader.example.com/auto": "true" },
    serviceAccount: { annotations: { role: "none" } },
    extraEnv: [{ name: "TZ", value: "Europe/Berlin" }],
    envFrom: [{ secretRef: { name: "more", optional: true } }],
    extraVolumes: [{ name: "more", emptyDir: {} }],
    extraVolumeMounts: [{ name: "more", mountPath: "/more" }],
    extraContainers: [{ name: "sidecar", ...restrictedContainer }],
    initContainers: [{ name: "before", ...restrictedContainer }],
    extraManifests: [
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "{{ .Release.Name }}-map" }, data: { url: "{{ .Values.apiUrl }}" } },
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}-text\ndata: { a: b }",
    ],
  },
};
