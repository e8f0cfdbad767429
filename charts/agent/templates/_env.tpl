{{- /* Every variable that the chart sets; extraEnv may not name one of them again. */ -}}
{{- define "outpost-agent.env" -}}
{{- $switch := dict "true" "on" "false" "off" -}}
- { name: API_KEY_FILE, value: {{ .Values.apiKey.file | default "/run/secrets/outpost/api-key" | quote }} }
- { name: API_URL, value: {{ .Values.apiUrl | quote }} }
- { name: JOB_CONCURRENCY, value: {{ .Values.jobConcurrency | int | quote }} }
- { name: LOG_LEVEL, value: {{ .Values.logLevel | quote }} }
- { name: AGENT_HEALTH_PORT, value: {{ .Values.healthPort | int | quote }} }
- { name: AGENT_HEALTH_HOST, value: {{ .Values.healthHost | quote }} }
- { name: SHUTDOWN_GRACE_SECONDS, value: {{ include "outpost-agent.graceSeconds" . | quote }} }
- { name: EXTERNAL_OBSERVABILITY, value: {{ get $switch (toString .Values.externalObservability) | quote }} }
{{- with .Values.contactAlarm }}
{{- if or .url .command }}
- { name: CONTACT_ALARM_MINUTES, value: {{ .minutes | int | quote }} }
{{- end }}
{{- with .url }}
- { name: CONTACT_ALARM_URL, value: {{ . | quote }} }
{{- end }}
{{- with .command }}
- { name: CONTACT_ALARM_COMMAND, value: {{ . | quote }} }
{{- end }}
{{- end }}
{{- with .Values.telemetry }}
{{- if .endpoint }}
- { name: OTEL_EXPORTER_OTLP_ENDPOINT, value: {{ .endpoint | quote }} }
- { name: OTEL_EXPORTER_OTLP_PROTOCOL, value: {{ .protocol | quote }} }
{{- if .existingSecret.name }}
- { name: OTEL_EXPORTER_OTLP_HEADERS_FILE, value: /run/secrets/outpost-telemetry/headers }
{{- end }}
- { name: OTEL_EXPORTER_OTLP_TIMEOUT, value: {{ .timeoutMs | int | quote }} }
{{- range $signal := list "traces" "metrics" "logs" }}
- { name: OTEL_{{ upper $signal }}_EXPORTER, value: {{ get $.Values.telemetry $signal | ternary "otlp" "none" }} }
{{- end }}
- { name: OTEL_METRIC_EXPORT_INTERVAL, value: {{ .metricIntervalMs | int | quote }} }
- { name: OTEL_TRACES_SAMPLER, value: {{ .sampler | quote }} }
- { name: OTEL_TRACES_SAMPLER_ARG, value: {{ .samplerShare | toString | quote }} }
{{- with .serviceName }}
- { name: OTEL_SERVICE_NAME, value: {{ . | quote }} }
{{- end }}
{{- with .resourceAttributes }}
- { name: OTEL_RESOURCE_ATTRIBUTES, value: {{ join "," . | quote }} }
{{- end }}
{{- end }}
{{- with .targets }}
- { name: OUTPOST_TRACE_TARGETS, value: {{ join "," . | quote }} }
{{- end }}
{{- end }}
- { name: USE_OS_DNS_RESOLVER, value: {{ get $switch (toString .Values.useOsDnsResolver) | quote }} }
- { name: EVIDENCE, value: {{ get $switch (toString .Values.evidence) | quote }} }
- { name: DATA_DIR, value: /data }
- { name: OUTBOX_MAX_MB, value: {{ .Values.outbox.maxMb | int | quote }} }
- { name: OUTBOX_MAX_HOURS, value: {{ .Values.outbox.maxHours | int | quote }} }
- { name: ARTIFACTS_MAX_MB, value: {{ .Values.artifacts.maxMb | int | quote }} }
- { name: SCRIPT_SANDBOX, value: {{ .Values.scripts.sandbox | quote }} }
- { name: SCRIPT_EGRESS, value: {{ .Values.scripts.egress | quote }} }
- { name: SCRIPT_CONCURRENCY, value: {{ .Values.scripts.concurrency | int | quote }} }
{{- with .Values.browser }}
{{- if .enabled }}
- { name: BROWSER_CONCURRENCY, value: {{ .concurrency | int | quote }} }
- { name: MULTI_STEP_CONCURRENCY, value: {{ .multiStepConcurrency | int | quote }} }
- { name: BROWSER_MEMORY_MB, value: {{ .memoryMb | int | quote }} }
- { name: BROWSER_WARM, value: {{ .warm | int | quote }} }
- { name: BROWSER_SCREENSHOTS, value: {{ get $switch (toString .screenshots) | quote }} }
- { name: BROWSER_EGRESS, value: {{ .egress | quote }} }
{{- end }}
{{- end }}
{{- with .Values.suites }}
- { name: SUITE_CONCURRENCY, value: {{ .concurrency | int | quote }} }
{{- if .concurrency }}
- { name: SUITE_WORKERS, value: {{ .workers | int | quote }} }
- { name: SUITE_MEMORY_MB, value: {{ .memoryMb | int | quote }} }
- { name: BUNDLE_CACHE_MB, value: {{ .bundleCacheMb | int | quote }} }
- { name: DEPENDENCY_CACHE_MB, value: {{ .dependencyCacheMb | int | quote }} }
{{- with .registry }}
- { name: NPM_REGISTRY, value: {{ . | quote }} }
{{- end }}
{{- end }}
{{- end }}
{{- with .Values.agentic }}
{{- if .model.url }}
- { name: AGENTIC_MODEL_URL, value: {{ .model.url | quote }} }
- { name: AGENTIC_MODEL, value: {{ .model.name | quote }} }
{{- if .keySecret.name }}
- { name: AGENTIC_KEY_FILE, value: /run/secrets/outpost-model/model-key }
{{- end }}
- { name: AGENTIC_CONCURRENCY, value: {{ .concurrency | int | quote }} }
- { name: AGENTIC_MAX_TURNS, value: {{ .maxTurns | int | quote }} }
- { name: AGENTIC_MAX_TOKENS, value: {{ .maxTokens | int64 | quote }} }
{{- if ne .price.prompt nil }}
- { name: AGENTIC_PRICE_PROMPT, value: {{ .price.prompt | quote }} }
{{- end }}
{{- if ne .price.completion nil }}
- { name: AGENTIC_PRICE_COMPLETION, value: {{ .price.completion | quote }} }
{{- end }}
{{- end }}
{{- end }}
{{- with .Values.runtimes }}
- { name: RUNTIMES_DIR, value: {{ .volume | empty | ternary "/opt/outpost/runtimes" (printf "/runtimes/%s" .folder | trimSuffix "/") | quote }} }
{{- end }}
{{- with .Values.secrets }}
{{- if or .existingSecret.name .folder }}
- { name: SECRETS_DIR, value: {{ .folder | default "/run/secrets/outpost-checks" | quote }} }
{{- end }}
{{- end }}
- { name: TARGET_MODE, value: {{ .Values.targets.mode | quote }} }
{{- with .Values.targets.allowCidrs }}
- { name: TARGET_ALLOW_CIDR, value: {{ join "," . | quote }} }
{{- end }}
{{- with .Values.targets.denyCidrs }}
- { name: TARGET_DENY_CIDR, value: {{ join "," . | quote }} }
{{- end }}
{{- with .Values.proxy }}
{{- $secret := .existingSecret }}
{{- range $variable, $from := dict "HTTPS_PROXY" (list .https $secret.httpsKey) "HTTP_PROXY" (list .http $secret.httpKey) }}
{{- if and $secret.name (last $from) }}
- { name: {{ $variable }}, valueFrom: { secretKeyRef: { name: {{ $secret.name | quote }}, key: {{ last $from | quote }} } } }
{{- else if first $from }}
- { name: {{ $variable }}, value: {{ first $from | quote }} }
{{- end }}
{{- end }}
{{- with .noProxy }}
- { name: NO_PROXY, value: {{ join "," . | quote }} }
{{- end }}
{{- end }}
{{- if include "outpost-agent.caSources" . }}
- { name: NODE_EXTRA_CA_CERTS, value: /etc/outpost/ca }
{{- end }}
{{- end -}}

{{- /* Sources of the CA folder. Each file gets a name that no other source has, with the ending that the agent reads. */ -}}
{{- define "outpost-agent.caSources" -}}
{{- with .Values.extraCas -}}
{{- if .pem }}
- configMap:
    name: {{ include "outpost-agent.fullname" $ }}-ca
    items: [{ key: ca.pem, path: ca.pem }]
{{- end }}
{{- range $kind := list "configMap" "secret" }}
{{- $source := get $.Values.extraCas $kind }}
{{- if $source.name }}
- {{ $kind }}:
    name: {{ $source.name | quote }}
    items:
      {{- range $source.keys }}
      - { key: {{ . | quote }}, path: {{ printf "%s-%s.pem" (lower $kind) . | quote }} }
      {{- end }}
{{- end }}
{{- end }}
{{- end -}}
{{- end -}}
