import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { chartValues, withChartValues } from "../../docs/chart-values.ts";
import { chartTools, type Manifest, render } from "../support/chart-tools.ts";

const postgresql = {
  database: { type: "postgresql", existingSecret: { name: "pg" } },
  keyPepper: { existingSecret: { name: "pepper" } },
  encryptionKey: { existingSecret: { name: "encryption" } },
};
const byUrl = {
  database: { type: "postgresql", url: "postgres://u@db/x" },
  keyPepper: { existingSecret: { name: "pepper" } },
  encryptionKey: { existingSecret: { name: "encryption" } },
};
const s3 = { artifacts: { store: "s3", s3: { bucket: "files", existingSecret: { name: "s3-access" } } } };
const restrictedS3 = { ...s3, networkPolicy: { egress: { restricted: true } } };
const mail = { alertChannels: { smtp: { existingSecret: { name: "mail" } } } };
const mailByUrl = { alertChannels: { smtp: { url: "smtp://mail.example.com" } } };
const restrictedProxy = { proxy: { https: "http://proxy:3128" }, networkPolicy: { egress: { restricted: true } } };
const proxySecret = { proxy: { existingSecret: { name: "proxies" } } };
const fromProxySecret = (variable: string, key: string) =>
  `{"name":"${variable}","valueFrom":{"secretKeyRef":{"name":"proxies","key":"${key}"}}}`;
const restrictedMail = { ...mail, networkPolicy: { egress: { restricted: true } } };
const twilio = { alertChannels: { twilio: { accountSid: "AC0123456789", from: "+49301234567", existingSecret: { name: "twilio" } } } };
const slack = { alertChannels: { slack: { existingSecret: { name: "slack" } } } };
const oidc = { oidc: { issuer: "https://id.example.com", clientId: "outpost", existingSecret: { name: "oidc" } } };
const model = { rootCauseModel: { url: "http://llm.example.com/v1", name: "small", existingSecret: { name: "llm" } } };
const collector = { telemetry: { endpoint: "http://collector:4318", existingSecret: { name: "collector" } } };
const scaled = { ...postgresql, autoscaling: { enabled: true } };
const restricted = { ...postgresql, networkPolicy: { egress: { restricted: true } } };
const ingress = { ingress: { enabled: true, hosts: [{ host: "a.example.com" }] } };
const gateways = [{ name: "public", namespace: "gateways" }];
const httpRoute = { httpRoute: { enabled: true, parentRefs: gateways } };
const backendTls = (caConfigMap: string) => ({
  tls: { existingSecret: { name: "certificate" } },
  httpRoute: { enabled: true, parentRefs: gateways, backendTls: { caConfigMap } },
});
const backup = { backup: { enabled: true } };
const external = { externalSecrets: { store: { name: "vault" }, secrets: { mail: { url: { key: "outpost/mail" } } } } };
const restrictedCollector = { ...collector, networkPolicy: { egress: { restricted: true } } };
const monitor = { serviceMonitor: { enabled: true } };
const rule = { prometheusRule: { enabled: true } };
const dashboard = { dashboard: { enabled: true } };
const peer = [{ podSelector: { matchLabels: { shown: "yes" } } }];
const labels = { shown: "yes" };
const objects = [{ shown: "yes" }];
const container = [{ name: "shown", image: "example.com/shown:1" }];
const quantity = "77Mi";

/** What a value is changed to, and the text that then, and only then, is in a manifest of that kind (of the JSON of `to` when not given). */
interface Change {
  readonly to: unknown;
  readonly in: string;
  /** Values that it needs to have an effect. */
  readonly given?: object;
  /** Values that must change with it. */
  readonly also?: object;
  readonly shows?: string;
}

/** One entry for each value of `values.yaml`: the test fails for a value without one. */
const changes: Readonly<Record<string, Change>> = {
  "database.type": { to: "postgresql", also: byUrl, in: "Deployment", shows: "RollingUpdate" },
  "database.url": { to: "postgres://u@other/x", given: byUrl, in: "Secret", shows: btoa("postgres://u@other/x") },
  "database.existingSecret.name": { to: "other", given: postgresql, in: "Deployment" },
  "database.existingSecret.key": { to: "uri", given: postgresql, in: "Deployment" },
  "keyPepper.value": { to: "x".repeat(32), in: "Secret", shows: btoa("x".repeat(32)) },
  "keyPepper.existingSecret.name": { to: "shown", in: "StatefulSet" },
  "keyPepper.existingSecret.key": { to: "shown", given: postgresql, in: "Deployment" },
  "encryptionKey.value": { to: "a".repeat(64), in: "Secret", shows: btoa("a".repeat(64)) },
  "encryptionKey.existingSecret.name": { to: "shown", in: "StatefulSet" },
  "encryptionKey.existingSecret.key": { to: "shown", given: postgresql, in: "Deployment" },
  "encryptionKey.previous.existingSecret.name": { to: "shown", in: "StatefulSet" },
  "encryptionKey.previous.existingSecret.key": {
    to: "shown",
    given: { encryptionKey: { previous: { existingSecret: { name: "before" } } } },
    in: "StatefulSet",
  },
  replicas: { to: 3, given: postgresql, in: "Deployment", shows: '"replicas":3' },
  "persistence.enabled": { to: false, in: "StatefulSet", shows: '"emptyDir":{},"name":"data"' },
  "persistence.existingClaim": { to: "shown", in: "StatefulSet", shows: '"persistentVolumeClaim":{"claimName":"shown"}' },
  "persistence.storageClass": { to: "shown", in: "StatefulSet" },
  "persistence.accessModes": { to: ["ReadWriteOncePod"], in: "StatefulSet" },
  "persistence.size": { to: quantity, in: "StatefulSet" },
  "persistence.annotations": { to: labels, in: "StatefulSet" },
  "backup.enabled": { to: true, in: "CronJob", shows: '"schedule":"17 * * * *"' },
  "backup.schedule": { to: "@daily", given: backup, in: "CronJob" },
  "backup.keep": { to: 7, given: backup, in: "CronJob", shows: '"--keep","7"' },
  "backup.withKeys": { to: true, given: backup, in: "CronJob", shows: '"--with-keys"' },
  "backup.existingClaim": { to: "shown", given: backup, in: "CronJob" },
  "backup.storageClass": { to: "shown", given: backup, in: "PersistentVolumeClaim" },
  "backup.size": { to: quantity, given: backup, in: "PersistentVolumeClaim" },
  "backup.annotations": { to: labels, given: backup, in: "PersistentVolumeClaim", shows: '"shown":"yes"' },
  "backup.resources.requests.cpu": { to: quantity, given: backup, in: "CronJob" },
  "backup.resources.requests.memory": { to: quantity, given: backup, in: "CronJob" },
  "backup.resources.limits.memory": { to: quantity, given: backup, in: "CronJob" },
  "artifacts.store": { to: "off", in: "StatefulSet", shows: '{"name":"ARTIFACT_STORE","value":"off"}' },
  "artifacts.s3.endpoint": { to: "http://s3.example.com:9000", given: s3, in: "StatefulSet" },
  "artifacts.s3.bucket": { to: "shown", given: s3, in: "StatefulSet", shows: '{"name":"S3_BUCKET","value":"shown"}' },
  "artifacts.s3.region": { to: "eu-shown-1", given: s3, in: "StatefulSet" },
  "artifacts.s3.pathStyle": { to: false, given: s3, in: "StatefulSet", shows: '{"name":"S3_PATH_STYLE","value":"off"}' },
  "artifacts.s3.existingSecret.name": { to: "shown", given: s3, in: "StatefulSet" },
  "artifacts.s3.existingSecret.idKey": { to: "shown", given: s3, in: "StatefulSet" },
  "artifacts.s3.existingSecret.secretKey": { to: "shown", given: s3, in: "StatefulSet" },
  "alertChannels.webhookEgress": { to: "10.20.0.0/16", in: "StatefulSet" },
  "alertChannels.perMinute": { to: 77, in: "StatefulSet", shows: '{"name":"ALERTS_PER_MINUTE","value":"77"}' },
  "alertChannels.perHour": { to: 77, in: "StatefulSet", shows: '{"name":"ALERTS_PER_HOUR","value":"77"}' },
  "alertChannels.smtp.url": { to: "smtp://shown", given: mailByUrl, in: "Secret", shows: btoa("smtp://shown") },
  "alertChannels.smtp.existingSecret.name": { to: "shown", in: "StatefulSet" },
  "alertChannels.smtp.existingSecret.key": { to: "shown", given: mail, in: "StatefulSet" },
  "alertChannels.smtp.from": { to: "shown@example.com", given: mail, in: "StatefulSet" },
  "alertChannels.smtp.tls": { to: "required", given: mail, in: "StatefulSet", shows: '{"name":"SMTP_TLS","value":"required"}' },
  "alertChannels.twilio.accountSid": { to: "AC77777777", given: twilio, in: "StatefulSet" },
  "alertChannels.twilio.from": { to: "+777777", given: twilio, in: "StatefulSet" },
  "alertChannels.twilio.existingSecret.name": { to: "shown", given: twilio, in: "StatefulSet" },
  "alertChannels.twilio.existingSecret.key": { to: "shown", given: twilio, in: "StatefulSet" },
  "alertChannels.twilio.apiUrl": { to: "http://shown:1", in: "StatefulSet", shows: '{"name":"TWILIO_API_URL","value":"http://shown:1"}' },
  "oidc.issuer": { to: "https://shown", given: oidc, in: "StatefulSet" },
  "oidc.clientId": { to: "shown", given: oidc, in: "StatefulSet" },
  "oidc.existingSecret.name": { to: "shown", given: oidc, in: "StatefulSet" },
  "oidc.existingSecret.key": { to: "shown", given: oidc, in: "StatefulSet" },
  "oidc.name": { to: "shown", given: oidc, in: "StatefulSet" },
  "telemetry.endpoint": { to: "http://shown:4318", in: "StatefulSet" },
  "telemetry.protocol": { to: "http/json", given: collector, in: "StatefulSet" },
  "telemetry.existingSecret.name": { to: "shown", given: collector, in: "StatefulSet" },
  "telemetry.existingSecret.key": { to: "shown", given: collector, in: "StatefulSet" },
  "telemetry.timeoutMs": { to: 777, given: collector, in: "StatefulSet", shows: '{"name":"OTEL_EXPORTER_OTLP_TIMEOUT","value":"777"}' },
  "telemetry.traces": { to: false, given: collector, in: "StatefulSet", shows: '{"name":"OTEL_TRACES_EXPORTER","value":"none"}' },
  "telemetry.metrics": { to: false, given: collector, in: "StatefulSet", shows: '{"name":"OTEL_METRICS_EXPORTER","value":"none"}' },
  "telemetry.logs": { to: false, given: collector, in: "StatefulSet", shows: '{"name":"OTEL_LOGS_EXPORTER","value":"none"}' },
  "telemetry.metricIntervalMs": {
    to: 3_000_000,
    given: collector,
    in: "StatefulSet",
    shows: '{"name":"OTEL_METRIC_EXPORT_INTERVAL","value":"3000000"}',
  },
  "telemetry.sampler": { to: "parentbased_traceidratio", given: collector, in: "StatefulSet" },
  "telemetry.samplerShare": {
    to: 0.25,
    given: collector,
    in: "StatefulSet",
    shows: '{"name":"OTEL_TRACES_SAMPLER_ARG","value":"0.25"}',
  },
  "telemetry.serviceName": { to: "shown", given: collector, in: "StatefulSet" },
  "telemetry.resourceAttributes": { to: ["shown=yes"], given: collector, in: "StatefulSet", shows: '"shown=yes"' },
  "telemetry.traceUrlTemplate": { to: "https://shown/{traceId}", in: "StatefulSet" },
  "rootCauseModel.url": { to: "http://shown:1/v1", given: model, in: "StatefulSet" },
  "rootCauseModel.name": { to: "shown", given: model, in: "StatefulSet" },
  "rootCauseModel.existingSecret.name": { to: "shown", given: model, in: "StatefulSet" },
  "rootCauseModel.existingSecret.key": { to: "shown", given: model, in: "StatefulSet" },
  "rootCauseModel.seconds": { to: 77, given: model, in: "StatefulSet", shows: '{"name":"ROOT_CAUSE_MODEL_SECONDS","value":"77"}' },
  "rootCauseModel.tokens": { to: 777, given: model, in: "StatefulSet", shows: '{"name":"ROOT_CAUSE_MODEL_TOKENS","value":"777"}' },
  "rootCauseModel.dailyTokens": {
    to: 7_000_000,
    given: model,
    in: "StatefulSet",
    shows: '{"name":"ROOT_CAUSE_MODEL_DAILY_TOKENS","value":"7000000"}',
  },
  "alertChannels.slack.existingSecret.name": { to: "shown", in: "StatefulSet" },
  "alertChannels.slack.existingSecret.key": { to: "shown", given: slack, in: "StatefulSet" },
  "alertChannels.slack.apiUrl": { to: "http://shown:1", in: "StatefulSet", shows: '{"name":"SLACK_API_URL","value":"http://shown:1"}' },
  "alertChannels.pagerduty.apiUrl": {
    to: "http://shown:1",
    in: "StatefulSet",
    shows: '{"name":"PAGERDUTY_API_URL","value":"http://shown:1"}',
  },
  "alertChannels.opsgenie.apiUrl": {
    to: "http://shown:1",
    in: "StatefulSet",
    shows: '{"name":"OPSGENIE_API_URL","value":"http://shown:1"}',
  },
  "alertChannels.opsgenie.euApiUrl": {
    to: "http://shown:1",
    in: "StatefulSet",
    shows: '{"name":"OPSGENIE_EU_API_URL","value":"http://shown:1"}',
  },
  "migrations.enabled": { to: true, given: { ...postgresql, migrations: { enabled: false } }, in: "Job", shows: '"migrate"' },
  "migrations.annotations": { to: labels, given: postgresql, in: "Job", shows: '"shown":"yes"' },
  "migrations.backoffLimit": { to: 7, given: postgresql, in: "Job", shows: '"backoffLimit":7' },
  "migrations.activeDeadlineSeconds": { to: 77, given: postgresql, in: "Job" },
  "migrations.ttlSecondsAfterFinished": { to: 77, given: postgresql, in: "Job" },
  "migrations.resources.requests.cpu": { to: "77m", given: postgresql, in: "Job" },
  "migrations.resources.requests.memory": { to: quantity, given: postgresql, in: "Job" },
  "migrations.resources.limits.memory": { to: quantity, given: postgresql, in: "Job" },
  "image.registry": {
    to: "registry.example.com:5000",
    in: "StatefulSet",
    shows: '"image":"registry.example.com:5000/outpost/control-plane:',
  },
  "image.repository": { to: "mine/outpost", in: "StatefulSet", shows: '"image":"mine/outpost:' },
  "image.tag": { to: "7.7.7", in: "StatefulSet", shows: '"image":"outpost/control-plane:7.7.7"' },
  "image.digest": { to: `sha256:${"7".repeat(64)}`, in: "StatefulSet", shows: `"image":"outpost/control-plane@sha256:${"7".repeat(64)}"` },
  "image.pullPolicy": { to: "Always", in: "StatefulSet", shows: '"imagePullPolicy":"Always"' },
  imagePullSecrets: { to: [{ name: "shown" }], in: "StatefulSet", shows: '"imagePullSecrets":[{"name":"shown"}]' },
  "database.synchronous": { to: "normal", in: "StatefulSet", shows: '{"name":"SQLITE_SYNCHRONOUS","value":"normal"}' },
  port: { to: 7777, in: "Service" },
  probePort: { to: 7778, in: "StatefulSet" },
  host: { to: "0.0.0.0", in: "StatefulSet" },
  publicUrl: { to: "https://outpost.example.com", in: "StatefulSet" },
  pageDomains: { to: "trusted", in: "StatefulSet", shows: '{"name":"PAGE_DOMAINS","value":"trusted"}' },
  pageDomainDns: { to: ["192.0.2.53"], in: "StatefulSet", shows: '{"name":"PAGE_DOMAIN_DNS","value":"192.0.2.53"}' },
  "tls.existingSecret.name": { to: "shown", in: "StatefulSet" },
  trustedProxies: { to: ["10.7.0.0/16"], in: "StatefulSet", shows: '{"name":"TRUSTED_PROXIES","value":"10.7.0.0/16"}' },
  pingUrl: { to: "https://ping.example.com", in: "StatefulSet" },
  "watchdog.url": { to: "https://watch.example.com/ping/token", in: "StatefulSet" },
  "watchdog.existingSecret.name": { to: "shown", in: "StatefulSet" },
  "watchdog.existingSecret.key": { to: "shown", given: { watchdog: { existingSecret: { name: "watchdog" } } }, in: "StatefulSet" },
  "watchdog.seconds": {
    to: 90,
    given: { watchdog: { url: "https://watch.example.com/ping/token" } },
    in: "StatefulSet",
    shows: '{"name":"WATCHDOG_SECONDS","value":"90"}',
  },
  traceViewerUrl: { to: "https://traces.example.com", in: "StatefulSet" },
  "config.logLevel": { to: "DEBUG", in: "StatefulSet" },
  "config.accountHeaders": { to: ["x-a", "x-b"], in: "StatefulSet", shows: '"x-a,x-b"' },
  "config.rateLimits.standard": { to: "7/7", in: "StatefulSet", shows: '{"name":"RATE_LIMIT_STANDARD","value":"7/7"}' },
  "config.rateLimits.results": { to: "7/7", in: "StatefulSet", shows: '{"name":"RATE_LIMIT_RESULTS","value":"7/7"}' },
  "config.rateLimits.analytics": { to: "7/7", in: "StatefulSet", shows: '{"name":"RATE_LIMIT_ANALYTICS","value":"7/7"}' },
  "config.rateLimits.alertNotifications": {
    to: "7/7",
    in: "StatefulSet",
    shows: '{"name":"RATE_LIMIT_ALERT_NOTIFICATIONS","value":"7/7"}',
  },
  "config.rateLimits.dashboards": { to: "7/7", in: "StatefulSet", shows: '{"name":"RATE_LIMIT_DASHBOARDS","value":"7/7"}' },
  "config.rateLimits.triggers": { to: "7/7", in: "StatefulSet", shows: '{"name":"RATE_LIMIT_TRIGGERS","value":"7/7"}' },
  "config.rateLimits.pings": { to: "7/7", in: "StatefulSet", shows: '{"name":"RATE_LIMIT_PINGS","value":"7/7"}' },
  "config.rateLimits.unknownPings": { to: "7/7", in: "StatefulSet", shows: '{"name":"RATE_LIMIT_UNKNOWN_PINGS","value":"7/7"}' },
  "config.rateLimits.wrongKeys": { to: "7/7", in: "StatefulSet", shows: '{"name":"RATE_LIMIT_WRONG_KEYS","value":"7/7"}' },
  "config.rateLimits.forms": { to: "7/7", in: "StatefulSet", shows: '{"name":"RATE_LIMIT_FORMS","value":"7/7"}' },
  "config.rateLimits.pages": { to: "7/7", in: "StatefulSet", shows: '{"name":"RATE_LIMIT_PAGES","value":"7/7"}' },
  "config.rateLimits.locationMetrics": { to: "7/7", in: "StatefulSet", shows: '{"name":"RATE_LIMIT_LOCATION_METRICS","value":"7/7"}' },
  "config.leaseSeconds": { to: 77, in: "StatefulSet", shows: '{"name":"LEASE_SECONDS","value":"77"}' },
  "config.heartbeatSeconds": { to: 7, in: "StatefulSet", shows: '{"name":"HEARTBEAT_SECONDS","value":"7"}' },
  "config.agentPollWaitSeconds": { to: 7, in: "StatefulSet", shows: '{"name":"AGENT_POLL_WAIT_SECONDS","value":"7"}' },
  "config.agentCpuPercent": { to: 77, in: "StatefulSet", shows: '{"name":"AGENT_CPU_PERCENT","value":"77"}' },
  "config.maxBodyMegabytes": { to: 77, in: "StatefulSet", shows: '{"name":"MAX_BODY_MEGABYTES","value":"77"}' },
  "config.maxConnections": { to: 77, in: "StatefulSet", shows: '{"name":"MAX_CONNECTIONS","value":"77"}' },
  "config.maxConnectionsPerAddress": { to: 77, in: "StatefulSet", shows: '{"name":"MAX_CONNECTIONS_PER_ADDRESS","value":"77"}' },
  "config.queueWaitSeconds": { to: 77, in: "StatefulSet", shows: '{"name":"QUEUE_WAIT_SECONDS","value":"77"}' },
  "config.resultsKeepDays": { to: 77, in: "StatefulSet", shows: '{"name":"RESULTS_KEEP_DAYS","value":"77"}' },
  "config.detailsKeepDays": { to: 7, in: "StatefulSet", shows: '{"name":"DETAILS_KEEP_DAYS","value":"7"}' },
  "config.rollupsKeepDays": { to: 777, in: "StatefulSet", shows: '{"name":"ROLLUPS_KEEP_DAYS","value":"777"}' },
  "config.errorEventsKeepDays": { to: 77, in: "StatefulSet", shows: '{"name":"ERROR_EVENTS_KEEP_DAYS","value":"77"}' },
  "config.auditKeepDays": { to: 77, in: "StatefulSet", shows: '{"name":"AUDIT_KEEP_DAYS","value":"77"}' },
  "config.secretsReadable": { to: "write", in: "StatefulSet", shows: '{"name":"SECRETS_READABLE","value":"write"}' },
  "config.egressAddresses": {
    to: ["berlin=192.0.2.7", "berlin=2001:db8::7"],
    in: "StatefulSet",
    shows: '{"name":"EGRESS_ADDRESSES","value":"berlin=192.0.2.7,berlin=2001:db8::7"}',
  },
  "config.accessLog": { to: "1/7", in: "StatefulSet" },
  "config.auditLines": { to: true, in: "StatefulSet", shows: '{"name":"AUDIT_OUTPUT","value":"stdout"}' },
  "ingress.enabled": { to: true, given: { ingress: { hosts: [{ host: "a.example.com" }] } }, in: "Ingress", shows: "a.example.com" },
  "ingress.className": { to: "shown", given: ingress, in: "Ingress", shows: '"ingressClassName":"shown"' },
  "ingress.annotations": { to: labels, given: ingress, in: "Ingress", shows: '"annotations":{"shown":"yes"}' },
  "ingress.hosts": { to: [{ host: "b.example.com" }], given: ingress, in: "Ingress", shows: '"host":"b.example.com"' },
  "httpRoute.enabled": { to: true, given: { httpRoute: { parentRefs: gateways } }, in: "HTTPRoute", shows: '"namespace":"gateways"' },
  "httpRoute.parentRefs": { to: [{ name: "other" }], given: httpRoute, in: "HTTPRoute" },
  "httpRoute.hostnames": { to: ["b.example.com"], given: httpRoute, in: "HTTPRoute" },
  "httpRoute.annotations": { to: labels, given: httpRoute, in: "HTTPRoute", shows: '"annotations":{"shown":"yes"}' },
  "httpRoute.backendTls.caConfigMap": { to: "shown", given: backendTls(""), in: "BackendTLSPolicy" },
  "httpRoute.backendTls.hostname": { to: "shown.example.com", given: backendTls("ca"), in: "BackendTLSPolicy" },
  "httpRoute.timeoutSeconds": { to: 77, given: httpRoute, in: "HTTPRoute", shows: '"request":"77s"' },
  "ingress.tls": { to: [{ secretName: "shown" }], given: ingress, in: "Ingress" },
  "service.type": { to: "NodePort", in: "Service" },
  "service.nodePort": { to: 30_777, given: { service: { type: "NodePort" } }, in: "Service" },
  "service.annotations": { to: labels, in: "Service" },
  "service.loadBalancerSourceRanges": { to: ["10.0.0.0/8"], given: { service: { type: "LoadBalancer" } }, in: "Service" },
  "service.ipFamilyPolicy": { to: "PreferDualStack", in: "Service" },
  "service.ipFamilies": { to: ["IPv6"], in: "Service" },
  "networkPolicy.enabled": { to: true, given: { networkPolicy: { enabled: false } }, in: "NetworkPolicy", shows: "3000" },
  "networkPolicy.ingress.from": { to: peer, in: "NetworkPolicy", shows: '"from":[{"podSelector":{"matchLabels":{"shown":"yes"}}}' },
  "networkPolicy.ingress.rules": { to: [{ from: peer }], in: "NetworkPolicy", shows: JSON.stringify({ from: peer }) },
  "networkPolicy.egress.restricted": { to: true, given: postgresql, in: "NetworkPolicy", shows: '"Egress"' },
  "networkPolicy.egress.dns.to": { to: peer, given: restricted, in: "NetworkPolicy" },
  "networkPolicy.egress.database.to": { to: peer, given: restricted, in: "NetworkPolicy" },
  "networkPolicy.egress.artifacts.to": { to: peer, given: restrictedS3, in: "NetworkPolicy" },
  "networkPolicy.egress.artifacts.port": { to: 7777, given: restrictedS3, in: "NetworkPolicy" },
  "networkPolicy.egress.mail.to": { to: peer, given: restrictedMail, in: "NetworkPolicy" },
  "networkPolicy.egress.mail.ports": { to: [2525], given: restrictedMail, in: "NetworkPolicy", shows: '"port":2525' },
  "networkPolicy.egress.telemetry.to": { to: peer, given: restrictedCollector, in: "NetworkPolicy" },
  "networkPolicy.egress.telemetry.port": { to: 7777, given: restrictedCollector, in: "NetworkPolicy" },
  "networkPolicy.egress.proxy.to": { to: peer, given: restrictedProxy, in: "NetworkPolicy" },
  "networkPolicy.egress.proxy.port": { to: 7777, given: restrictedProxy, in: "NetworkPolicy" },
  "networkPolicy.egress.channels.to": { to: peer, given: restricted, in: "NetworkPolicy" },
  "networkPolicy.egress.channels.ports": { to: [8443], given: restricted, in: "NetworkPolicy", shows: '"port":8443' },
  "networkPolicy.egress.database.port": { to: 7777, given: restricted, in: "NetworkPolicy" },
  "networkPolicy.egress.rules": { to: [{ to: peer }], given: restricted, in: "NetworkPolicy", shows: JSON.stringify({ to: peer }) },
  "externalSecrets.store.name": { to: "shown", given: external, in: "ExternalSecret" },
  "externalSecrets.store.kind": { to: "ClusterSecretStore", given: external, in: "ExternalSecret" },
  "externalSecrets.refreshInterval": { to: "77m", given: external, in: "ExternalSecret" },
  "externalSecrets.secrets": {
    to: { shown: { url: { key: "outpost/mail" } } },
    given: { externalSecrets: { store: { name: "vault" } } },
    in: "ExternalSecret",
    shows: '{"secretKey":"url","remoteRef":{"key":"outpost/mail"}}',
  },
  "serviceAccount.create": {
    to: true,
    given: { serviceAccount: { create: false } },
    in: "ServiceAccount",
    shows: '"automountServiceAccountToken":false',
  },
  "serviceAccount.name": { to: "shown", in: "StatefulSet", shows: '"serviceAccountName":"shown"' },
  "serviceAccount.annotations": { to: labels, in: "ServiceAccount" },
  "podDisruptionBudget.enabled": {
    to: true,
    given: { ...postgresql, replicas: 2, podDisruptionBudget: { enabled: false } },
    in: "PodDisruptionBudget",
    shows: "maxUnavailable",
  },
  "podDisruptionBudget.maxUnavailable": { to: "30%", given: { ...postgresql, replicas: 2 }, in: "PodDisruptionBudget" },
  "autoscaling.enabled": { to: true, given: postgresql, in: "HorizontalPodAutoscaler", shows: "scaleTargetRef" },
  "autoscaling.minReplicas": { to: 5, given: scaled, in: "HorizontalPodAutoscaler", shows: '"minReplicas":5' },
  "autoscaling.maxReplicas": { to: 77, given: scaled, in: "HorizontalPodAutoscaler", shows: '"maxReplicas":77' },
  "autoscaling.targetCpuPercent": { to: 77, given: scaled, in: "HorizontalPodAutoscaler" },
  "autoscaling.metrics": { to: objects, given: scaled, in: "HorizontalPodAutoscaler", shows: '{"shown":"yes"}' },
  "autoscaling.behavior": { to: labels, given: scaled, in: "HorizontalPodAutoscaler" },
  "serviceMonitor.enabled": { to: true, in: "ServiceMonitor", shows: "/metrics" },
  "serviceMonitor.labels": { to: labels, given: monitor, in: "ServiceMonitor", shows: '"shown":"yes"' },
  "serviceMonitor.interval": { to: "7m", given: monitor, in: "ServiceMonitor" },
  "serviceMonitor.scrapeTimeout": { to: "7s", given: monitor, in: "ServiceMonitor" },
  "serviceMonitor.relabelings": { to: objects, given: monitor, in: "ServiceMonitor", shows: '"relabelings":[{"shown"' },
  "serviceMonitor.metricRelabelings": { to: objects, given: monitor, in: "ServiceMonitor", shows: '"metricRelabelings":[{"shown"' },
  "serviceMonitor.existingSecret.name": { to: "shown", given: monitor, in: "ServiceMonitor", shows: '"name":"shown"' },
  "serviceMonitor.existingSecret.key": {
    to: "shown-token",
    given: { serviceMonitor: { enabled: true, existingSecret: { name: "metrics" } } },
    in: "StatefulSet",
    shows: '"key":"shown-token"',
  },
  "prometheusRule.enabled": { to: true, in: "PrometheusRule", shows: "OutpostControlPlaneDown" },
  "prometheusRule.labels": { to: labels, given: rule, in: "PrometheusRule", shows: '"shown":"yes"' },
  "prometheusRule.alertLabels": { to: labels, given: rule, in: "PrometheusRule", shows: '"labels":{"severity":"critical","shown":"yes"}' },
  "prometheusRule.disabled": {
    to: [],
    given: { prometheusRule: { enabled: true, disabled: ["OutpostRunsMissed"] } },
    in: "PrometheusRule",
    shows: "OutpostRunsMissed",
  },
  "prometheusRule.scheduleLagSeconds": { to: 77, given: rule, in: "PrometheusRule", shows: "> 77" },
  "prometheusRule.oldestDueSeconds": { to: 77, given: rule, in: "PrometheusRule", shows: "> 77" },
  "prometheusRule.missedRuns": { to: 77, given: rule, in: "PrometheusRule", shows: "> 77" },
  "prometheusRule.requeuedJobs": { to: 77, given: rule, in: "PrometheusRule", shows: "> 77" },
  "prometheusRule.agentErrors": { to: 77, given: rule, in: "PrometheusRule", shows: "> 77" },
  "prometheusRule.serverErrorPercent": { to: 77, given: rule, in: "PrometheusRule", shows: "> 77" },
  "prometheusRule.eventLoopLagSeconds": { to: 77, given: rule, in: "PrometheusRule", shows: "> 77" },
  "prometheusRule.extraRules": { to: objects, given: rule, in: "PrometheusRule", shows: '{"shown":"yes"}' },
  "dashboard.enabled": { to: true, in: "ConfigMap", shows: "outpost_jobs_queued" },
  "dashboard.labels.grafana_dashboard": { to: "shown", given: dashboard, in: "ConfigMap", shows: '"grafana_dashboard":"shown"' },
  "dashboard.annotations": { to: labels, given: dashboard, in: "ConfigMap" },
  "extraCas.pem": { to: "shown", in: "ConfigMap", shows: '"ca.crt":"shown' },
  "extraCas.configMap.name": { to: "shown", in: "StatefulSet" },
  "extraCas.configMap.key": { to: "shown", given: { extraCas: { configMap: { name: "cas" } } }, in: "StatefulSet" },
  "extraCas.secret.name": { to: "shown", in: "StatefulSet" },
  "extraCas.secret.key": { to: "shown", given: { extraCas: { secret: { name: "cas" } } }, in: "StatefulSet" },
  "proxy.https": { to: "http://shown:1", in: "StatefulSet", shows: '{"name":"HTTPS_PROXY","value":"http://shown:1"}' },
  "proxy.http": { to: "http://shown:1", in: "StatefulSet", shows: '{"name":"HTTP_PROXY","value":"http://shown:1"}' },
  "proxy.smtp": { to: "http://shown:1", in: "StatefulSet", shows: '{"name":"SMTP_PROXY","value":"http://shown:1"}' },
  "proxy.existingSecret.name": {
    to: "shown",
    in: "StatefulSet",
    shows: '{"name":"HTTPS_PROXY","valueFrom":{"secretKeyRef":{"name":"shown","key":"https-proxy"}}}',
  },
  "proxy.existingSecret.httpsKey": { to: "shown", given: proxySecret, in: "StatefulSet", shows: fromProxySecret("HTTPS_PROXY", "shown") },
  "proxy.existingSecret.httpKey": { to: "shown", given: proxySecret, in: "StatefulSet", shows: fromProxySecret("HTTP_PROXY", "shown") },
  "proxy.existingSecret.smtpKey": { to: "shown", given: proxySecret, in: "StatefulSet", shows: fromProxySecret("SMTP_PROXY", "shown") },
  "proxy.noProxy": { to: [".a", ".b"], in: "StatefulSet", shows: '{"name":"NO_PROXY","value":".a,.b"}' },
  "resources.requests.cpu": { to: "77m", in: "StatefulSet" },
  "resources.requests.memory": { to: quantity, in: "StatefulSet" },
  "resources.limits.memory": { to: quantity, in: "StatefulSet" },
  terminationGracePeriodSeconds: { to: 77, in: "StatefulSet" },
  preStopSeconds: { to: 7, given: postgresql, in: "Deployment", shows: '"preStop":{"sleep":{"seconds":7}}' },
  minReadySeconds: { to: 77, in: "StatefulSet" },
  revisionHistoryLimit: { to: 77, in: "StatefulSet" },
  "probes.startup.periodSeconds": { to: 77, in: "StatefulSet" },
  "probes.startup.timeoutSeconds": { to: 77, in: "StatefulSet" },
  "probes.startup.failureThreshold": { to: 77, in: "StatefulSet" },
  "probes.liveness.periodSeconds": { to: 77, in: "StatefulSet" },
  "probes.liveness.timeoutSeconds": { to: 77, in: "StatefulSet" },
  "probes.liveness.failureThreshold": { to: 77, in: "StatefulSet" },
  "probes.readiness.periodSeconds": { to: 77, in: "StatefulSet" },
  "probes.readiness.timeoutSeconds": { to: 77, in: "StatefulSet" },
  "probes.readiness.failureThreshold": { to: 77, in: "StatefulSet" },
  "podSecurityContext.runAsNonRoot": { to: false, in: "StatefulSet", shows: '"runAsNonRoot":false' },
  "podSecurityContext.runAsUser": { to: 777, in: "StatefulSet", shows: '"runAsUser":777' },
  "podSecurityContext.runAsGroup": { to: 777, in: "StatefulSet", shows: '"runAsGroup":777' },
  "podSecurityContext.fsGroup": { to: 777, in: "StatefulSet", shows: '"fsGroup":777' },
  "podSecurityContext.fsGroupChangePolicy": { to: "Always", in: "StatefulSet", shows: '"fsGroupChangePolicy":"Always"' },
  "podSecurityContext.seccompProfile.type": { to: "Localhost", in: "StatefulSet" },
  "securityContext.allowPrivilegeEscalation": { to: true, in: "StatefulSet", shows: '"allowPrivilegeEscalation":true' },
  "securityContext.readOnlyRootFilesystem": { to: false, in: "StatefulSet", shows: '"readOnlyRootFilesystem":false' },
  "securityContext.capabilities.drop": { to: ["SHOWN"], in: "StatefulSet" },
  dnsPolicy: { to: "Default", in: "StatefulSet", shows: '"dnsPolicy":"Default"' },
  dnsConfig: { to: { searches: ["shown"] }, in: "StatefulSet", shows: '"dnsConfig":{"searches":["shown"]}' },
  hostAliases: {
    to: [{ ip: "10.0.0.7", hostnames: ["shown"] }],
    in: "StatefulSet",
    shows: '"hostAliases":[{"hostnames":["shown"],"ip":"10.0.0.7"}]',
  },
  "nodeSelector.kubernetes.io/os": { to: "shown", in: "StatefulSet", shows: '"nodeSelector":{"kubernetes.io/os":"shown"}' },
  tolerations: { to: [{ key: "shown" }], in: "StatefulSet", shows: '"tolerations":[{"key":"shown"}]' },
  affinity: { to: { nodeAffinity: labels }, in: "StatefulSet", shows: '"affinity":{"nodeAffinity":' },
  topologySpreadConstraints: {
    to: [{ topologyKey: "shown", maxSkew: 7 }],
    given: postgresql,
    in: "Deployment",
    shows: '"topologyKey":"shown"',
  },
  priorityClassName: { to: "shown", in: "StatefulSet", shows: '"priorityClassName":"shown"' },
  runtimeClassName: { to: "shown", in: "StatefulSet", shows: '"runtimeClassName":"shown"' },
  extraEnv: { to: [{ name: "SHOWN", value: "yes" }], in: "StatefulSet", shows: '{"name":"SHOWN","value":"yes"}' },
  envFrom: { to: [{ secretRef: { name: "shown" } }], in: "StatefulSet" },
  extraVolumes: { to: [{ name: "shown", emptyDir: {} }], in: "StatefulSet", shows: '{"emptyDir":{},"name":"shown"}' },
  extraVolumeMounts: { to: [{ name: "data", mountPath: "/shown" }], in: "StatefulSet", shows: '{"mountPath":"/shown","name":"data"}' },
  extraContainers: { to: container, in: "StatefulSet", shows: '{"image":"example.com/shown:1","name":"shown"}],' },
  initContainers: { to: container, in: "StatefulSet", shows: '"initContainers":[{"image":"example.com/shown:1","name":"shown"}]' },
  extraManifests: {
    to: [{ apiVersion: "v1", kind: "LimitRange", metadata: { name: "{{ .Release.Name }}-shown" } }],
    in: "LimitRange",
    shows: "outpost-shown",
  },
  podLabels: { to: labels, in: "StatefulSet", shows: '"shown":"yes"' },
  podAnnotations: { to: labels, in: "StatefulSet", shows: '"shown":"yes"' },
  annotations: { to: labels, in: "StatefulSet", shows: '"annotations":{"shown":"yes"}' },
  commonLabels: { to: labels, in: "Service", shows: '"shown":"yes"' },
  nameOverride: { to: "shown", in: "Service", shows: '"app.kubernetes.io/name":"shown"' },
  fullnameOverride: { to: "shown", in: "Service", shows: '{"name":"shown"' },
};

const chart = join(import.meta.dirname, "../../charts/control-plane");
const valuesYaml = readFileSync(join(chart, "values.yaml"), "utf8");
const leaves = leavesOf(parse(valuesYaml), []);

describe("the values of the control plane's chart", () => {
  it("are each explained above themselves, or above the map that they are in", () => {
    const explained = chartValues(valuesYaml).flatMap(({ path, about, isGroup }) => (isGroup || about === "" ? [] : [path]));
    const silent = leaves.map((path) => path.join(".")).filter((leaf) => !explained.some((path) => `${leaf}.`.startsWith(`${path}.`)));
    expect(silent).toEqual([]);
  });

  it("are in the README as they are in values.yaml; npm run docs puts them there", () => {
    const readme = readFileSync(join(chart, "README.md"), "utf8");
    expect(readme).toBe(withChartValues(readme, valuesYaml));
  });
});

describe.skipIf(!chartTools())("every value of the control plane's chart", () => {
  it("has an example of a change here, and no example is of a value that is gone", () => {
    expect(leaves.map((path) => path.join(".")).toSorted()).toEqual(Object.keys(changes).toSorted());
  });

  it.each(leaves.map((path) => ({ name: path.join("."), path })))("$name changes the manifest that it is about", ({ name, path }) => {
    const { to, given = {}, also = {}, in: kind, shows = JSON.stringify(to) } = changes[name] ?? { to: null, in: "" };
    expect(textOf(kind, renderOnce(given))).not.toContain(shows);
    expect(textOf(kind, render("control-plane", merged(merged(given, also), valuesAt(path, to))))).toContain(shows);
  });
});

const rendered = new Map<string, Manifest[]>();

function renderOnce(values: object): Manifest[] {
  const key = JSON.stringify(values);
  const manifests = rendered.get(key) ?? render("control-plane", values);
  rendered.set(key, manifests);
  return manifests;
}

function textOf(kind: string, manifests: readonly Manifest[]): string {
  return JSON.stringify(manifests.filter((manifest) => manifest.kind === kind));
}

/** Paths of everything that is no map with entries: lists and empty maps are set as a whole. */
function leavesOf(value: unknown, path: readonly string[]): string[][] {
  const entries = isMap(value) ? Object.entries(value) : [];
  return entries.length === 0 ? [[...path]] : entries.flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
}

function valuesAt(path: readonly string[], value: unknown): object {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as object; // no path is empty
}

function merged(one: object, other: object): object {
  const entries = Object.entries(other).map(([key, value]): [string, unknown] => {
    const mine = (one as Readonly<Record<string, unknown>>)[key];
    return [key, isMap(mine) && isMap(value) ? merged(mine, value) : value];
  });
  return { ...one, ...Object.fromEntries(entries) };
}

function isMap(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
