const sizes = { requests: { cpu: 1, memory: "1Gi" }, limits: { cpu: "1500m", memory: "2Gi" } };
const pepper = { existingSecret: { name: "outpost-key-pepper", key: "key-pepper" } };
const encryptionKey = { existingSecret: { name: "outpost-encryption-key", key: "encryption-key" } };
const postgresql = { database: { type: "postgresql", existingSecret: { name: "pg-app", key: "uri" } }, keyPepper: pepper, encryptionKey };
const alertChannels = {
  webhookEgress: "public-only",
  perMinute: 20,
  perHour: 100_000,
  smtp: { existingSecret: { name: "mail", key: "smtp-url" }, from: "Outpost <alerts@example.com>", tls: "unverified" },
  twilio: { accountSid: "AC0123456789", from: "MG0123456789", existingSecret: { name: "twilio", key: "token" } },
  slack: { existingSecret: { name: "slack", key: "token" }, apiUrl: "https://slack.internal:8443/api" },
  pagerduty: { apiUrl: "https://events.eu.pagerduty.com" },
};
const oidc = { issuer: "https://id.example.com", clientId: "outpost", existingSecret: { name: "oidc", key: "secret" }, name: "Example" };
const pem = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
const peer = { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "ingress-nginx" } } };
const sidecar = {
  name: "side",
  image: "example.com/side:1",
  securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
};
const monitoring = {
  serviceMonitor: {
    enabled: true,
    labels: { release: "prometheus" },
    relabelings: [{ action: "replace", targetLabel: "cluster", replacement: "one" }],
    metricRelabelings: [{ action: "drop", sourceLabels: ["__name__"], regex: "nodejs_heap_space.*" }],
  },
  prometheusRule: {
    enabled: true,
    labels: { release: "prometheus" },
    alertLabels: { team: "network" },
    disabled: ["OutpostAgentErrors"],
    extraRules: [{ alert: "Mine", expr: "vector(1)" }],
  },
  dashboard: { enabled: true, annotations: { grafana_folder: "Outpost" } },
};
const ingress = {
  enabled: true,
  className: "nginx",
  annotations: { "nginx.ingress.kubernetes.io/proxy-body-size": "32m", "cert-manager.io/cluster-issuer": "letsencrypt" },
  hosts: [{ host: "outpost.example.com" }, { host: "*.example.org", paths: [{ path: "/v1", pathType: "Exact" }] }],
  tls: [{ secretName: "outpost-tls", hosts: ["outpost.example.com"] }],
};

const httpRoute = {
  enabled: true,
  parentRefs: [{ name: "public", namespace: "gateways", sectionName: "https" }],
  hostnames: ["outpost.example.com"],
  annotations: { "example.com/team": "network" },
};

/** Values of the control plane's chart that must render, lint and be accepted by Kubernetes, by what is special about them. */
export const controlPlaneMatrix: Readonly<Record<string, object>> = {
  "nothing set": {},
  "a volume of one's own": { persistence: { existingClaim: "outpost-data" } },
  "a chosen storage class": {
    persistence: { storageClass: "fast", size: "50Gi", accessModes: ["ReadWriteOncePod"], annotations: { "example.com/backup": "daily" } },
  },
  "no storage class": { persistence: { storageClass: "-" } },
  "backups by the hour": {
    backup: { enabled: true, withKeys: true, annotations: { "example.com/tier": "cold" } },
    keyPepper: pepper,
    encryptionKey,
    extraCas: { pem },
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [] } },
    extraVolumes: [{ name: "more", emptyDir: {} }],
    extraVolumeMounts: [{ name: "more", mountPath: "/more" }],
  },
  "backups to a claim of one's own": {
    persistence: { existingClaim: "outpost-data" },
    backup: { enabled: true, schedule: "*/15 2-4 * * 1-5", keep: 7, existingClaim: "nas" },
  },
  "Secrets out of a store": {
    externalSecrets: {
      store: { name: "vault", kind: "ClusterSecretStore" },
      refreshInterval: "15m",
      secrets: { mail: { "smtp-url": { key: "outpost/mail", property: "url" } }, twilio: { token: { key: "outpost/twilio" } } },
    },
    alertChannels,
  },
  "TLS as far as the control plane, behind a Gateway": {
    tls: { existingSecret: { name: "certificate" } },
    httpRoute: { ...httpRoute, backendTls: { caConfigMap: "outpost-ca" } },
  },
  "a collector behind a closed network": {
    telemetry: { endpoint: "https://collector.example.com" },
    networkPolicy: { egress: { restricted: true, telemetry: { to: [peer] } } },
  },
  "nothing kept": { persistence: { enabled: false } },
  "a pepper of one's own beside SQLite": { keyPepper: pepper },
  "an encryption key that replaces another one": {
    encryptionKey: { ...encryptionKey, previous: { existingSecret: { name: "before", key: "k" } } },
  },
  "large files in S3": { artifacts: { store: "s3", s3: { bucket: "files", existingSecret: { name: "s3-access" } } } },
  "no large files": { artifacts: { store: "off" } },
  "mail by a value": { alertChannels: { smtp: { url: "smtp://mail.example.com", from: "alerts@example.com", tls: "off" } } },
  "all alert channels": { ...postgresql, alertChannels },
  "sign-in with a provider": { ...postgresql, oidc },
  "sign-in with a provider, as a public client": { oidc: { issuer: "https://id.example.com", clientId: "outpost" } },
  PostgreSQL: postgresql,
  "PostgreSQL by values": {
    database: { type: "postgresql", url: "postgres://outpost:p%40ss@db.example.com:5432/outpost?sslmode=verify-full" },
    keyPepper: { value: "0123456789abcdef0123456789abcdef" },
    encryptionKey: { value: "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef" },
    extraCas: { pem },
    replicas: 3,
  },
  "PostgreSQL without a migration job": { ...postgresql, migrations: { enabled: false } },
  "PostgreSQL with an autoscaler": {
    ...postgresql,
    autoscaling: {
      enabled: true,
      metrics: [{ type: "Resource", resource: { name: "memory", target: { type: "Utilization", averageUtilization: 80 } } }],
      behavior: { scaleDown: { stabilizationWindowSeconds: 600 } },
    },
    podDisruptionBudget: { maxUnavailable: "30%" },
  },
  "PostgreSQL in a closed network": {
    ...postgresql,
    replicas: 2,
    networkPolicy: {
      ingress: { from: [peer], rules: [{ from: [{ podSelector: {} }] }] },
      egress: {
        restricted: true,
        dns: { to: [peer] },
        database: { to: [{ ipBlock: { cidr: "10.1.0.0/16" } }], port: 6432 },
        artifacts: { to: [{ ipBlock: { cidr: "10.3.0.0/16" } }], port: 9000 },
        mail: { to: [{ ipBlock: { cidr: "10.4.0.0/16" } }] },
        channels: { to: [{ ipBlock: { cidr: "0.0.0.0/0" } }], ports: [443, 8443] },
        rules: [{ to: [{ ipBlock: { cidr: "10.2.0.0/16" } }] }],
      },
    },
    alertChannels: { smtp: { url: "smtps://mail.example.com:465", tls: "required" } },
    artifacts: {
      store: "s3",
      s3: { endpoint: "http://minio:9000", bucket: "files", existingSecret: { name: "s3-access", idKey: "id", secretKey: "secret" } },
    },
    extraCas: { configMap: { name: "company-cas", key: "bundle.pem" } },
  },
  "SQLite in a closed network": { networkPolicy: { ingress: { from: [peer] }, egress: { restricted: true } } },
  "no network policy": { networkPolicy: { enabled: false } },
  "an ingress with TLS": { ingress },
  "a route of a Gateway": { httpRoute },
  "a route with the Gateway's own time": { httpRoute: { ...httpRoute, hostnames: [], timeoutSeconds: 0 } },
  "a load balancer for both families": {
    service: {
      type: "LoadBalancer",
      nodePort: 32_000,
      annotations: { "example.com/lb": "internal" },
      loadBalancerSourceRanges: ["10.0.0.0/8"],
      ipFamilyPolicy: "PreferDualStack",
      ipFamilies: ["IPv6", "IPv4"],
    },
    port: 8080,
    publicUrl: "https://outpost.example.com",
  },
  "an account of one's own": { ...postgresql, serviceAccount: { create: false, name: "outpost" } },
  monitoring,
  "monitoring of several": { ...postgresql, ...monitoring, replicas: 2 },
  "a private registry behind a proxy": {
    image: { registry: "registry.example.com:5000", digest: `sha256:${"0".repeat(64)}`, pullPolicy: "Always" },
    imagePullSecrets: [{ name: "registry" }],
    proxy: { https: "http://proxy.example.com:3128", http: "http://proxy.example.com:3128", noProxy: [".svc", "10.0.0.0/8"] },
    extraCas: { secret: { name: "company-cas" } },
  },
  "places and names": {
    ...postgresql,
    nameOverride: "monitor",
    fullnameOverride: "a-very-long-name-that-somebody-gave-to-the-whole-release-of-outpost",
    commonLabels: { "example.com/owner": "network", "app.kubernetes.io/part-of": "monitoring" },
    podLabels: { "example.com/tier": "one", "app.kubernetes.io/component": "not-this" },
    podAnnotations: { "example.com/note": "yes" },
    annotations: { "example.com/reload": "true" },
    nodeSelector: { "node.kubernetes.io/instance-type": "small" },
    tolerations: [{ key: "dedicated", operator: "Exists", effect: "NoSchedule" }],
    affinity: {
      podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "kubernetes.io/hostname", labelSelector: {} }] },
    },
    topologySpreadConstraints: [
      {
        topologyKey: "topology.kubernetes.io/zone",
        maxSkew: 1,
        whenUnsatisfiable: "DoNotSchedule",
        labelSelector: { matchLabels: { a: "b" } },
      },
    ],
    priorityClassName: "important",
    runtimeClassName: "gvisor",
    dnsPolicy: "None",
    dnsConfig: { nameservers: ["10.0.0.10"], searches: ["example.com"], options: [{ name: "ndots", value: "1" }] },
    hostAliases: [{ ip: "10.0.0.11", hostnames: ["db.example.com"] }],
    resources: sizes,
    migrations: { resources: sizes, annotations: { "example.com/job": "yes" } },
  },
  "everything extra": {
    ...postgresql,
    extraEnv: [
      { name: "NODE_OPTIONS", value: "--max-old-space-size=384" },
      { name: "PGSSLMODE", valueFrom: { configMapKeyRef: { name: "pg", key: "sslmode" } } },
    ],
    envFrom: [{ secretRef: { name: "outpost-env" } }],
    extraVolumes: [{ name: "more", emptyDir: {} }],
    extraVolumeMounts: [{ name: "more", mountPath: "/more" }],
    extraContainers: [sidecar],
    initContainers: [{ ...sidecar, name: "beside", restartPolicy: "Always" }],
    extraManifests: [
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "{{ .Release.Name }}-map" }, data: { a: "b" } },
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}-text\n",
    ],
  },
  "users that the platform chooses": { podSecurityContext: { runAsUser: null, runAsGroup: null, fsGroup: null } },
};
