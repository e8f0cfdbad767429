import { describe, expect, it } from "vitest";
import { chartTools, renderFailure } from "../support/chart-tools.ts";

const postgresql = {
  database: { type: "postgresql", existingSecret: { name: "pg" } },
  keyPepper: { existingSecret: { name: "pepper" } },
  encryptionKey: { existingSecret: { name: "encryption" } },
};
const instead = "or set database.type to postgresql, with database.existingSecret.name or database.url.";

describe.skipIf(!chartTools())("the chart of the control plane refuses", () => {
  it.each([
    {
      what: "two replicas on SQLite",
      values: { replicas: 2 },
      says: `replicas is 2, but SQLite is a file for exactly one process. Set replicas to 1, ${instead}`,
    },
    { what: "no replica on SQLite", values: { replicas: 0 }, says: "replicas is 0, but SQLite" },
    {
      what: "an autoscaler on SQLite",
      values: { autoscaling: { enabled: true } },
      says: `autoscaling.enabled is true, but SQLite is a file for exactly one process. Set it to false, ${instead}`,
    },
    {
      what: "a shared volume for SQLite",
      values: { persistence: { accessModes: ["ReadWriteMany"] } },
      says: "persistence.accessModes has ReadWriteMany, but SQLite needs a volume that one node writes",
    },
    {
      what: "a URL without the type",
      values: { database: { url: "postgres://u@h/d" } },
      says: "a URL of PostgreSQL is given, but database.type is sqlite",
    },
    {
      what: "a claim that is not used",
      values: { persistence: { enabled: false, existingClaim: "mine" } },
      says: "persistence.existingClaim is given, but persistence.enabled is false",
    },
    { what: "a backup of PostgreSQL", values: { ...postgresql, backup: { enabled: true } }, says: "it backs up SQLite" },
    {
      what: "a backup of what is not kept",
      values: { backup: { enabled: true }, persistence: { enabled: false } },
      says: "no other pod reaches an emptyDir",
    },
    {
      what: "a backup of a volume for one pod",
      values: { backup: { enabled: true }, persistence: { accessModes: ["ReadWriteOncePod"] } },
      says: "ReadWriteOncePod, which keeps the pod of the backup from the volume",
    },
    {
      what: "a policy for TLS that nobody speaks",
      values: { httpRoute: { enabled: true, parentRefs: [{ name: "public" }], backendTls: { caConfigMap: "ca" } } },
      says: "httpRoute.backendTls.caConfigMap is for a Gateway that speaks TLS to the control plane",
    },
    {
      what: "Secrets out of no store",
      values: { externalSecrets: { secrets: { mail: { url: { key: "mail" } } } } },
      says: "externalSecrets.secrets is given, but no store",
    },
    {
      what: "a Secret that the migration Job would wait for",
      values: { ...postgresql, externalSecrets: { store: { name: "vault" }, secrets: { pg: { url: { key: "pg" } } } } },
      says: "externalSecrets makes pg, but the migration Job needs it before objects of the release are there",
    },
    { what: "one port for two things", values: { probePort: 3000 }, says: "probePort is 3000, which is port. Give it another one." },
    {
      what: "PostgreSQL without a URL",
      values: { database: { type: "postgresql" } },
      says: "database: type postgresql needs database.existingSecret.name",
    },
    {
      what: "two URLs",
      values: { database: { ...postgresql.database, url: "postgres://u@h/d" } },
      says: "database: url and existingSecret.name are both given. Keep one.",
    },
    {
      what: "another database",
      values: { database: { type: "postgresql", url: "mysql://u:hunter2@h/d" } },
      says: "database.url must begin with postgres://",
    },
    {
      what: "two peppers",
      values: { keyPepper: { ...postgresql.keyPepper, value: "x".repeat(32) } },
      says: "keyPepper: value and existingSecret.name are both given",
    },
    { what: "a short pepper", values: { keyPepper: { value: "hunter2" } }, says: "keyPepper.value has 7 characters; it needs at least 32" },
    {
      what: "to make a pepper where it cannot be kept",
      values: { database: postgresql.database },
      says: "another one would void every API key",
    },
    {
      what: "two encryption keys",
      values: { encryptionKey: { ...postgresql.encryptionKey, value: "a".repeat(64) } },
      says: "encryptionKey: value and existingSecret.name are both given",
    },
    {
      what: "an encryption key of another length",
      values: { encryptionKey: { value: "hunter2" } },
      says: "encryptionKey.value must be 32 bytes",
    },
    {
      what: "to make an encryption key where it cannot be kept",
      values: { database: postgresql.database, keyPepper: postgresql.keyPepper },
      says: "with another one the control plane does not start",
    },
    {
      what: "a folder of files beside PostgreSQL",
      values: { ...postgresql, artifacts: { store: "folder" } },
      says: "artifacts.store is folder, but with PostgreSQL no volume is kept",
    },
    {
      what: "S3 without a bucket",
      values: { artifacts: { store: "s3" } },
      says: "artifacts.s3.bucket is required with artifacts.store s3",
    },
    { what: "S3 without a key", values: { artifacts: { store: "s3" } }, says: "artifacts.s3.existingSecret.name is required" },
    {
      what: "S3 that is not used",
      values: { artifacts: { s3: { bucket: "files" } } },
      says: "artifacts.s3 is given, but artifacts.store is folder",
    },
    {
      what: "a password for S3 in its address",
      values: { artifacts: { store: "s3", s3: { endpoint: "https://me:hunter2@s3" } } },
      says: "artifacts.s3.endpoint holds a user or a password",
    },
    {
      what: "no address of S3",
      values: { artifacts: { store: "s3", s3: { endpoint: "s3.example.com" } } },
      says: "artifacts.s3.endpoint must be an http or https URL",
    },
    {
      what: "two mail servers",
      values: { alertChannels: { smtp: { url: "smtp://u:hunter2@mail", existingSecret: { name: "mail" } } } },
      says: "alertChannels.smtp: url and existingSecret.name are both given. Keep one.",
    },
    {
      what: "a sender without a mail server",
      values: { alertChannels: { smtp: { from: "alerts@example.com" } } },
      says: "alertChannels.smtp is given, but no mail server",
    },
    {
      what: "encryption without a mail server",
      values: { alertChannels: { smtp: { tls: "required" } } },
      says: "alertChannels.smtp is given, but no mail server",
    },
    {
      what: "a mail server that is no URL",
      values: { alertChannels: { smtp: { url: "u:hunter2@mail.example.com:587" } } },
      says: "alertChannels.smtp.url must be smtp://host:port or smtps://host:port",
    },
    {
      what: "no encryption with a server that always has it",
      values: { alertChannels: { smtp: { url: "smtps://u:hunter2@mail.example.com", tls: "off" } } },
      says: "alertChannels.smtp.tls is off, which is for smtp:// servers",
    },
    {
      what: "a mail server behind a closed port",
      values: { alertChannels: { smtp: { url: "smtp://mail.example.com:2525" } }, networkPolicy: { egress: { restricted: true } } },
      says: "networkPolicy.egress.mail.ports lacks 2525, the port of alertChannels.smtp.url. Add it.",
    },
    {
      what: "a closed network and a proxy whose port nobody can know",
      values: { proxy: { existingSecret: { name: "proxy" } }, networkPolicy: { egress: { restricted: true } } },
      says: "Set networkPolicy.egress.proxy.port.",
    },
    {
      what: "a Secret of proxies without an entry",
      values: { proxy: { existingSecret: { name: "proxy", httpsKey: "" } } },
      says: "proxy.existingSecret.name is set, but no entry of it. Set httpsKey, httpKey or smtpKey.",
    },
    {
      what: "a proxy without a scheme",
      values: { proxy: { https: "proxy.example.com:3128" } },
      says: "proxy.https is not the URL of a proxy.",
    },
    {
      what: "Twilio without a token",
      values: { alertChannels: { twilio: { accountSid: "AC0123456789", from: "+49301234567" } } },
      says: "alertChannels.twilio.existingSecret.name is required where another of alertChannels.twilio is set.",
    },
    {
      what: "Twilio without an account",
      values: { alertChannels: { twilio: { from: "+49301234567", existingSecret: { name: "twilio" } } } },
      says: "alertChannels.twilio.accountSid is required",
    },
    { what: "a loopback address", values: { host: "127.0.0.1" }, says: "host is 127.0.0.1: agents, users and probes come from outside" },
    {
      what: "heartbeats that do not fit the lease",
      values: { config: { heartbeatSeconds: 20 } },
      says: "config.heartbeatSeconds is 20; it may be at most half of config.leaseSeconds (30)",
    },
    {
      what: "a kill in the middle of a drain",
      values: { ...postgresql, terminationGracePeriodSeconds: 24 },
      says: "running requests need 25 (preStopSeconds and 20). Set it to 30 or more.",
    },
    {
      what: "an autoscaler upside down",
      values: { ...postgresql, autoscaling: { enabled: true, minReplicas: 9 } },
      says: "autoscaling.minReplicas is 9 and maxReplicas is 6",
    },
    {
      what: "an autoscaler without a request",
      values: { ...postgresql, autoscaling: { enabled: true }, resources: { requests: { cpu: null } } },
      says: "autoscaling needs resources.requests.cpu",
    },
    {
      what: "an ingress without a host",
      values: { ingress: { enabled: true } },
      says: "ingress.enabled is true, but ingress.hosts is empty",
    },
    {
      what: "a route without a Gateway",
      values: { httpRoute: { enabled: true } },
      says: "httpRoute.enabled is true, but httpRoute.parentRefs is empty",
    },
    {
      what: "two sources of CAs",
      values: { extraCas: { pem: "x", secret: { name: "y" } } },
      says: "extraCas: pem, configMap.name and secret.name exclude each other",
    },
    { what: "a variable of the chart", values: { extraEnv: [{ name: "PORT", value: "1" }] }, says: "extraEnv: PORT is the chart's own" },
    {
      what: "a secret as a variable",
      values: { extraEnv: [{ name: "DATABASE_URL", value: "1" }] },
      says: "extraEnv: DATABASE_URL is the chart's own",
    },
    {
      what: "a token of Twilio as a variable",
      values: { extraEnv: [{ name: "TWILIO_AUTH_TOKEN", value: "hunter2" }] },
      says: "extraEnv: TWILIO_AUTH_TOKEN is the chart's own",
    },
    {
      what: "a sender as a variable",
      values: { extraEnv: [{ name: "SMTP_FROM", value: "a@example.com" }] },
      says: "extraEnv: SMTP_FROM is the chart's own",
    },
  ])("$what", ({ values, says }) => {
    const text = renderFailure("control-plane", values);
    expect(text).toContain(says);
    expect(text).not.toContain("hunter2");
  });

  it("everything that is wrong at once", () => {
    const text = renderFailure("control-plane", { replicas: 2, ingress: { enabled: true }, keyPepper: { value: "short" } });
    expect(text.match(/^(replicas|ingress|keyPepper)/gm)).toEqual(["replicas", "keyPepper", "ingress"]);
  });

  it.each([
    { values: { replica: 1 }, says: "additional properties 'replica' not allowed" },
    { values: { database: { uri: "x" } }, says: "additional properties 'uri' not allowed" },
    { values: { config: { rateLimits: { all: "1/1" } } }, says: "additional properties 'all' not allowed" },
    { values: { database: { type: "mysql" } }, says: "value must be one of 'sqlite', 'postgresql'" },
    { values: { replicas: "2" }, says: "at '/replicas': got string, want integer" },
    { values: { port: 80 }, says: "at '/port': minimum: got 80, want 1,024" },
    { values: { publicUrl: "outpost.example.com" }, says: "at '/publicUrl'" },
    { values: { config: { logLevel: "TRACE" } }, says: "at '/config/logLevel'" },
    { values: { config: { agentPollWaitSeconds: 26 } }, says: "maximum: got 26, want 25" },
    { values: { config: { rateLimits: { standard: "600" } } }, says: "at '/config/rateLimits/standard'" },
    { values: { persistence: { size: "10 GB" } }, says: "at '/persistence/size'" },
    { values: { image: { digest: "0.1.0" } }, says: "at '/image/digest'" },
    { values: { ingress: { hosts: ["a.example.com"] } }, says: "at '/ingress/hosts/0': got string, want object" },
    { values: { httpRoute: { hostnames: ["https://a.example.com"] } }, says: "at '/httpRoute/hostnames/0'" },
    { values: { httpRoute: { timeoutSeconds: 25 } }, says: "at '/httpRoute/timeoutSeconds'" },
    { values: { extraEnv: { A: "b" } }, says: "at '/extraEnv': got object, want array" },
    { values: { alertChannels: { smtp: { tls: "on" } } }, says: "at '/alertChannels/smtp/tls'" },
    { values: { alertChannels: { smtp: { from: "alerts" } } }, says: "at '/alertChannels/smtp/from'" },
    { values: { alertChannels: { twilio: { from: 49_301_234_567 } } }, says: "at '/alertChannels/twilio/from': got number, want string" },
    { values: { alertChannels: { slack: { apiUrl: "slack.com/api" } } }, says: "at '/alertChannels/slack/apiUrl'" },
    { values: { oidc: { issuer: "id.example.com" } }, says: "at '/oidc/issuer'" },
    { values: { oidc: { issuer: "https://id.example.com" } }, says: "oidc: issuer and clientId belong together" },
    { values: { rootCauseModel: { url: "http://llm:8000/v1" } }, says: "rootCauseModel: url and name belong together" },
    { values: { alertChannels: { webhookEgress: "none" } }, says: "at '/alertChannels/webhookEgress'" },
    { values: { alertChannels: { perMinute: 0 } }, says: "minimum: got 0, want 1" },
    { values: { networkPolicy: { egress: { channels: { ports: [0] } } } }, says: "at '/networkPolicy/egress/channels/ports/0'" },
    { values: { podLabels: { version: 1 } }, says: "at '/podLabels/version': got number, want string" },
    { values: { networkPolicy: { ingress: { from: [{ cidr: "10.0.0.0/8" }] } } }, says: "additional properties 'cidr' not allowed" },
  ])("$values, saying: $says", ({ values, says }) => {
    expect(renderFailure("control-plane", values)).toContain(says);
  });
});
