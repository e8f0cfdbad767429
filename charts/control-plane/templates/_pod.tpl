{{/* What every pod of the chart has: the control plane's, the migrations' and the test's. */}}
{{- define "outpost-control-plane.podBasics" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  {{- toYaml .Values.podSecurityContext | nindent 2 }}
{{- range $field := list "priorityClassName" "runtimeClassName" "dnsPolicy" "dnsConfig" "hostAliases" "nodeSelector" "tolerations" "affinity" }}
{{- with index $.Values $field }}
{{ $field }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}

{{/* Image and rights: the same in every container. */}}
{{- define "outpost-control-plane.containerBasics" -}}
image: {{ include "outpost-control-plane.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
terminationMessagePolicy: FallbackToLogsOnError
securityContext:
  {{- toYaml .Values.securityContext | nindent 2 }}
{{- end }}

{{/* The variables that the chart sets, as one map. Takes root, database, pepper, encryption, previous, s3, smtp, twilio, slack, watchdog, oidc, model and telemetry, as the volume of secrets does. */}}
{{- define "outpost-control-plane.variables" -}}
{{- $values := .root.Values }}
{{- $config := $values.config }}
DATA_DIR: /data
{{- if .database }}
DATABASE_URL_FILE: /run/secrets/outpost/database-url
{{- end }}
{{- if .pepper }}
KEY_PEPPER_FILE: /run/secrets/outpost/key-pepper
{{- end }}
{{- if .encryption }}
ENCRYPTION_KEY_FILE: /run/secrets/outpost/encryption-key
{{- end }}
{{- if .previous }}
ENCRYPTION_KEY_PREVIOUS_FILE: /run/secrets/outpost/encryption-key-previous
{{- end }}
{{- if .s3 }}
ARTIFACT_STORE: s3
{{- with $values.artifacts.s3 }}
{{- with .endpoint }}
S3_ENDPOINT: {{ . | quote }}
{{- end }}
S3_BUCKET: {{ .bucket | quote }}
S3_REGION: {{ .region | quote }}
S3_PATH_STYLE: {{ .pathStyle | ternary "on" "off" | quote }}
{{- end }}
S3_SECRET_ACCESS_KEY_FILE: /run/secrets/outpost/s3-secret-access-key
{{- else }}
{{- /* The migrations open no store, so they get none. */}}
ARTIFACT_STORE: {{ include "outpost-control-plane.artifactStore" .root | replace "s3" "off" | quote }}
{{- end }}
{{- with $values.alertChannels }}
{{- if $.smtp }}
SMTP_URL_FILE: /run/secrets/outpost/smtp-url
SMTP_TLS: {{ .smtp.tls | quote }}
{{- with .smtp.from }}
SMTP_FROM: {{ . | quote }}
{{- end }}
{{- end }}
{{- if $.twilio }}
TWILIO_ACCOUNT_SID: {{ .twilio.accountSid | quote }}
TWILIO_AUTH_TOKEN_FILE: /run/secrets/outpost/twilio-auth-token
TWILIO_FROM: {{ .twilio.from | quote }}
{{- end }}
TWILIO_API_URL: {{ .twilio.apiUrl | quote }}
{{- if $.slack }}
SLACK_BOT_TOKEN_FILE: /run/secrets/outpost/slack-bot-token
{{- end }}
SLACK_API_URL: {{ .slack.apiUrl | quote }}
PAGERDUTY_API_URL: {{ .pagerduty.apiUrl | quote }}
OPSGENIE_API_URL: {{ .opsgenie.apiUrl | quote }}
OPSGENIE_EU_API_URL: {{ .opsgenie.euApiUrl | quote }}
WEBHOOK_EGRESS: {{ .webhookEgress | quote }}
ALERTS_PER_MINUTE: {{ .perMinute | quote }}
ALERTS_PER_HOUR: {{ .perHour | quote }}
{{- end }}
{{- with $values.oidc }}
{{- if .issuer }}
OIDC_ISSUER: {{ .issuer | quote }}
OIDC_CLIENT_ID: {{ .clientId | quote }}
OIDC_NAME: {{ .name | quote }}
{{- end }}
{{- end }}
{{- if .oidc }}
OIDC_CLIENT_SECRET_FILE: /run/secrets/outpost/oidc-client-secret
{{- end }}
{{- with $values.rootCauseModel }}
{{- if .url }}
ROOT_CAUSE_MODEL_URL: {{ .url | quote }}
ROOT_CAUSE_MODEL: {{ .name | quote }}
ROOT_CAUSE_MODEL_SECONDS: {{ .seconds | quote }}
ROOT_CAUSE_MODEL_TOKENS: {{ .tokens | quote }}
ROOT_CAUSE_MODEL_DAILY_TOKENS: {{ .dailyTokens | int64 | quote }}
{{- end }}
{{- end }}
{{- if .model }}
ROOT_CAUSE_MODEL_KEY_FILE: /run/secrets/outpost/root-cause-model-key
{{- end }}
{{- with $values.telemetry }}
{{- if .endpoint }}
OTEL_EXPORTER_OTLP_ENDPOINT: {{ .endpoint | quote }}
OTEL_EXPORTER_OTLP_PROTOCOL: {{ .protocol | quote }}
OTEL_EXPORTER_OTLP_TIMEOUT: {{ .timeoutMs | quote }}
{{- range $signal := list "traces" "metrics" "logs" }}
OTEL_{{ upper $signal }}_EXPORTER: {{ get $values.telemetry $signal | ternary "otlp" "none" }}
{{- end }}
OTEL_METRIC_EXPORT_INTERVAL: {{ .metricIntervalMs | int64 | quote }}
OTEL_TRACES_SAMPLER: {{ .sampler | quote }}
OTEL_TRACES_SAMPLER_ARG: {{ .samplerShare | toString | quote }}
{{- with .serviceName }}
OTEL_SERVICE_NAME: {{ . | quote }}
{{- end }}
{{- with .resourceAttributes }}
OTEL_RESOURCE_ATTRIBUTES: {{ join "," . | quote }}
{{- end }}
{{- end }}
{{- with .traceUrlTemplate }}
TRACE_URL_TEMPLATE: {{ . | quote }}
{{- end }}
{{- end }}
{{- if .telemetry }}
OTEL_EXPORTER_OTLP_HEADERS_FILE: /run/secrets/outpost/telemetry-headers
{{- end }}
HOST: {{ $values.host | quote }}
PORT: {{ $values.port | quote }}
PROBE_PORT: {{ $values.probePort | quote }}
{{- if .tls }}
TLS_CERT_FILE: /run/secrets/outpost-tls/tls.crt
TLS_KEY_FILE: /run/secrets/outpost-tls/tls.key
{{- end }}
PUBLIC_URL: {{ include "outpost-control-plane.publicUrl" .root | quote }}
{{- with $values.pingUrl }}
PING_URL: {{ . | quote }}
{{- end }}
{{- with $values.traceViewerUrl }}
TRACE_VIEWER_URL: {{ . | quote }}
{{- end }}
SQLITE_SYNCHRONOUS: {{ $values.database.synchronous | quote }}
{{- if .watchdog }}
WATCHDOG_URL_FILE: /run/secrets/outpost/watchdog-url
WATCHDOG_SECONDS: {{ $values.watchdog.seconds | quote }}
{{- else if $values.watchdog.url }}
WATCHDOG_URL: {{ $values.watchdog.url | quote }}
WATCHDOG_SECONDS: {{ $values.watchdog.seconds | quote }}
{{- end }}
PAGE_DOMAINS: {{ $values.pageDomains | quote }}
{{- with $values.pageDomainDns }}
PAGE_DOMAIN_DNS: {{ join "," . | quote }}
{{- end }}
{{- with $values.trustedProxies }}
TRUSTED_PROXIES: {{ join "," . | quote }}
{{- end }}
LOG_LEVEL: {{ $config.logLevel }}
ACCOUNT_HEADERS: {{ join "," $config.accountHeaders | quote }}
{{- with $config.egressAddresses }}
EGRESS_ADDRESSES: {{ join "," . | quote }}
{{- end }}
RATE_LIMIT_STANDARD: {{ $config.rateLimits.standard | quote }}
RATE_LIMIT_RESULTS: {{ $config.rateLimits.results | quote }}
RATE_LIMIT_ANALYTICS: {{ $config.rateLimits.analytics | quote }}
RATE_LIMIT_ALERT_NOTIFICATIONS: {{ $config.rateLimits.alertNotifications | quote }}
RATE_LIMIT_DASHBOARDS: {{ $config.rateLimits.dashboards | quote }}
RATE_LIMIT_TRIGGERS: {{ $config.rateLimits.triggers | quote }}
RATE_LIMIT_PINGS: {{ $config.rateLimits.pings | quote }}
RATE_LIMIT_UNKNOWN_PINGS: {{ $config.rateLimits.unknownPings | quote }}
RATE_LIMIT_WRONG_KEYS: {{ $config.rateLimits.wrongKeys | quote }}
RATE_LIMIT_FORMS: {{ $config.rateLimits.forms | quote }}
RATE_LIMIT_PAGES: {{ $config.rateLimits.pages | quote }}
RATE_LIMIT_LOCATION_METRICS: {{ $config.rateLimits.locationMetrics | quote }}
LEASE_SECONDS: {{ $config.leaseSeconds | quote }}
HEARTBEAT_SECONDS: {{ $config.heartbeatSeconds | quote }}
AGENT_POLL_WAIT_SECONDS: {{ $config.agentPollWaitSeconds | quote }}
AGENT_CPU_PERCENT: {{ $config.agentCpuPercent | quote }}
MAX_BODY_MEGABYTES: {{ $config.maxBodyMegabytes | quote }}
MAX_CONNECTIONS: {{ $config.maxConnections | quote }}
MAX_CONNECTIONS_PER_ADDRESS: {{ $config.maxConnectionsPerAddress | quote }}
QUEUE_WAIT_SECONDS: {{ $config.queueWaitSeconds | quote }}
RESULTS_KEEP_DAYS: {{ $config.resultsKeepDays | quote }}
{{- with $config.detailsKeepDays }}
DETAILS_KEEP_DAYS: {{ . | quote }}
{{- end }}
ROLLUPS_KEEP_DAYS: {{ $config.rollupsKeepDays | quote }}
AUDIT_KEEP_DAYS: {{ $config.auditKeepDays | quote }}
SECRETS_READABLE: {{ $config.secretsReadable | quote }}
ACCESS_LOG: {{ $config.accessLog | quote }}
{{- if $config.auditLines }}
AUDIT_OUTPUT: stdout
{{- end }}
ERROR_EVENTS_KEEP_DAYS: {{ $config.errorEventsKeepDays | quote }}
{{- if include "outpost-control-plane.mountsCas" .root }}
NODE_EXTRA_CA_CERTS: /run/outpost/cas/ca.crt
{{- end }}
{{- range $variable, $url := include "outpost-control-plane.proxyUrls" .root | fromJson }}
{{ $variable }}: {{ $url | quote }}
{{- end }}
{{- with $values.proxy.noProxy }}
NO_PROXY: {{ join "," . | quote }}
{{- end }}
{{- end }}

{{/* env, envFrom and mounts of the control plane and of its migrations, so that both open the same database in the same way. */}}
{{- define "outpost-control-plane.environment" -}}
env:
  {{- range $name, $value := include "outpost-control-plane.variables" . | fromYaml }}
  - {name: {{ $name }}, value: {{ $value | quote }}}
  {{- end }}
  {{- with .s3 }}
  - {name: S3_ACCESS_KEY_ID, valueFrom: {secretKeyRef: {name: {{ .name | quote }}, key: {{ .idKey | quote }}}}}
  {{- end }}
  {{- with .root.Values.proxy.existingSecret }}
  {{- $name := .name }}
  {{- range $variable, $key := include "outpost-control-plane.proxyKeys" $.root | fromJson }}
  - {name: {{ $variable }}, valueFrom: {secretKeyRef: {name: {{ $name | quote }}, key: {{ $key | quote }}}}}
  {{- end }}
  {{- end }}
  {{- with .root.Values.serviceMonitor.existingSecret }}
  {{- if .name }}
  - {name: METRICS_TOKEN, valueFrom: {secretKeyRef: {name: {{ .name | quote }}, key: {{ .key | quote }}}}}
  {{- end }}
  {{- end }}
  {{- with .root.Values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .root.Values.envFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
volumeMounts:
  - {name: data, mountPath: /data}
  - {name: tmp, mountPath: /tmp}
  {{- if or .database .pepper .encryption .previous .s3 .smtp .twilio .slack .watchdog .oidc .model .telemetry }}
  - {name: secrets, mountPath: /run/secrets/outpost, readOnly: true}
  {{- end }}
  {{- if .tls }}
  - {name: tls, mountPath: /run/secrets/outpost-tls, readOnly: true}
  {{- end }}
  {{- if include "outpost-control-plane.mountsCas" .root }}
  - {name: cas, mountPath: /run/outpost/cas, readOnly: true}
  {{- end }}
  {{- with .root.Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{/* Template of the control plane's pods, for the StatefulSet and the Deployment. Takes root and data: the source of /data, when it is no claim template. */}}
{{- define "outpost-control-plane.podTemplate" -}}
{{- $root := .root }}
{{- $values := $root.Values }}
{{- $postgresql := include "outpost-control-plane.postgresql" $root }}
{{- $given := $values.database.existingSecret }}
{{- $database := and $postgresql (or (and $given.name $given) (dict "name" (printf "%s-database" (include "outpost-control-plane.fullname" $root)) "key" "url")) }}
{{- $keys := dict "pepper" (include "outpost-control-plane.mountsKeyPepper" $root) "encryption" (include "outpost-control-plane.mountsEncryptionKey" $root) "previous" $values.encryptionKey.previous.existingSecret.name }}
{{- $s3 := and (eq (include "outpost-control-plane.artifactStore" $root) "s3") $values.artifacts.s3.existingSecret }}
{{- $channels := include "outpost-control-plane.channelSecrets" $root | fromJson }}
{{- $oidc := and $values.oidc.issuer $values.oidc.existingSecret.name $values.oidc.existingSecret }}
{{- $model := and $values.rootCauseModel.url $values.rootCauseModel.existingSecret.name $values.rootCauseModel.existingSecret }}
{{- $telemetry := and $values.telemetry.endpoint $values.telemetry.existingSecret.name $values.telemetry.existingSecret }}
{{- $secrets := merge (dict "root" $root "database" $database "s3" $s3 "oidc" $oidc "model" $model "telemetry" $telemetry "tls" $values.tls.existingSecret.name) $keys $channels -}}
metadata:
  labels:
    {{- include "outpost-control-plane.podLabels" (dict "root" $root "component" "control-plane") | nindent 4 }}
  annotations:
    {{- /* A changed secret or CA means new pods. A key that the chart made is not in the sum: it never changes. */}}
    {{- $sum := list $values.database.url $values.keyPepper.value $values.encryptionKey.value $values.alertChannels.smtp.url $values.extraCas.pem | toJson | sha256sum | trunc 8 }}
    {{- $own := dict "kubectl.kubernetes.io/default-container" "control-plane" "checksum/secrets" $sum }}
    {{- mergeOverwrite $own $values.podAnnotations | toYaml | nindent 4 }}
spec:
  serviceAccountName: {{ include "outpost-control-plane.serviceAccountName" $root | quote }}
  {{- include "outpost-control-plane.podBasics" $root | nindent 2 }}
  {{- if $postgresql }}
  {{- with $values.topologySpreadConstraints }}
  topologySpreadConstraints:
    {{- $selector := dict "matchLabels" (include "outpost-control-plane.selectorLabels" (dict "root" $root "component" "control-plane") | fromYaml) }}
    {{- range . }}
    - {{ hasKey . "labelSelector" | ternary . (merge (dict "labelSelector" $selector "matchLabelKeys" (list "pod-template-hash")) .) | toYaml | nindent 6 | trim }}
    {{- end }}
  {{- end }}
  {{- end }}
  terminationGracePeriodSeconds: {{ $values.terminationGracePeriodSeconds }}
  {{- with $values.initContainers }}
  initContainers:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: control-plane
      {{- include "outpost-control-plane.containerBasics" $root | nindent 6 }}
      args: [control-plane]
      ports:
        - {name: http, containerPort: {{ $values.port }}, protocol: TCP}
        - {name: probes, containerPort: {{ $values.probePort }}, protocol: TCP}
      {{- include "outpost-control-plane.environment" $secrets | nindent 6 }}
      resources:
        {{- toYaml $values.resources | nindent 8 }}
      {{- range $probe, $path := dict "startup" "liveness" "liveness" "liveness" "readiness" "readiness" }}
      {{ $probe }}Probe:
        httpGet: {path: /-/{{ $path }}, port: probes}
        {{- toYaml (index $values.probes $probe) | nindent 8 }}
      {{- end }}
      {{- if and $postgresql (gt (int $values.preStopSeconds) 0) (semverCompare ">=1.30-0" $root.Capabilities.KubeVersion.Version) }}
      lifecycle:
        preStop:
          sleep: {seconds: {{ $values.preStopSeconds }}}
      {{- end }}
    {{- with $values.extraContainers }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  volumes:
    {{- with .data }}
    - {{ merge (dict "name" "data") . | toYaml | nindent 6 | trim }}
    {{- end }}
    - {name: tmp, emptyDir: {}}
    {{- if or $database $secrets.pepper $secrets.encryption $secrets.previous $s3 $channels $oidc $model $telemetry }}
    - {{ include "outpost-control-plane.secretsVolume" $secrets | nindent 6 | trim }}
    {{- end }}
    {{- with $values.tls.existingSecret.name }}
    - {name: tls, secret: {secretName: {{ . | quote }}, defaultMode: 0440}}
    {{- end }}
    {{- if include "outpost-control-plane.mountsCas" $root }}
    {{- $inline := dict "configMap" (dict "name" (printf "%s-cas" (include "outpost-control-plane.fullname" $root))) }}
    - {{ include "outpost-control-plane.casVolume" (dict "root" $root "inline" $inline) | nindent 6 | trim }}
    {{- end }}
    {{- with $values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end }}
