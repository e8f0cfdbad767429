{{- /* Whether the agent gets NET_RAW. */ -}}
{{- define "outpost-agent.netRaw" -}}
{{- if or .Values.captures (eq .Values.icmp.mode "netRaw") }}true{{ end -}}
{{- end -}}

{{- /* Pods with hostNetwork may not set sysctls of the network: there the node's own count. */ -}}
{{- define "outpost-agent.podSecurityContext" -}}
{{- $context := deepCopy .Values.podSecurityContext -}}
{{- if and (eq .Values.icmp.mode "sysctl") (not .Values.captures) (not .Values.hostNetwork) -}}
{{- $sysctl := dict "name" "net.ipv4.ping_group_range" "value" .Values.icmp.pingGroupRange -}}
{{- $_ := set $context "sysctls" (append ($context.sysctls | default list) $sysctl) -}}
{{- end -}}
{{- toYaml $context -}}
{{- end -}}

{{- /* Containers get capabilities for root only, hence user 0; DAC_OVERRIDE lets it write the outbox of user 65532. */ -}}
{{- define "outpost-agent.securityContext" -}}
{{- $context := deepCopy .Values.securityContext -}}
{{- if include "outpost-agent.netRaw" . -}}
{{- $context = mergeOverwrite $context (dict "runAsUser" 0 "runAsNonRoot" false "capabilities" (dict "add" (list "NET_RAW" "DAC_OVERRIDE"))) -}}
{{- end -}}
{{- toYaml $context -}}
{{- end -}}

{{- /* What all pods of the release share, those of `helm test` included, so that a test stands where the agents stand. */ -}}
{{- define "outpost-agent.podPlace" -}}
serviceAccountName: {{ include "outpost-agent.serviceAccountName" . | quote }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  {{- include "outpost-agent.podSecurityContext" . | nindent 2 }}
{{- if .Values.hostNetwork }}
hostNetwork: true
{{- end }}
{{- with .Values.dnsPolicy | default (.Values.hostNetwork | ternary "ClusterFirstWithHostNet" "") }}
dnsPolicy: {{ . }}
{{- end }}
{{- range $field := list "dnsConfig" "hostAliases" "nodeSelector" "tolerations" "affinity" "priorityClassName" "runtimeClassName" }}
{{- with get $.Values $field }}
{{ $field }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end -}}

{{- /* A container of the image with the agent's own surroundings, without its name. */ -}}
{{- define "outpost-agent.container" -}}
image: {{ include "outpost-agent.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
terminationMessagePolicy: FallbackToLogsOnError
securityContext:
  {{- include "outpost-agent.securityContext" . | nindent 2 }}
env:
  {{- include "outpost-agent.env" . | trim | nindent 2 }}
  {{- with .Values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .Values.envFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
volumeMounts:
  - { name: data, mountPath: /data }
  {{- if .Values.browser.enabled }}
  - { name: browser, mountPath: /data/browser }
  {{- end }}
  {{- if .Values.suites.concurrency }}
  - { name: suites, mountPath: /data/suites }
  {{- end }}
  {{- if include "outpost-agent.keySecret" . }}
  - { name: api-key, mountPath: /run/secrets/outpost, readOnly: true }
  {{- end }}
  {{- if and .Values.agentic.model.url .Values.agentic.keySecret.name }}
  - { name: model-key, mountPath: /run/secrets/outpost-model, readOnly: true }
  {{- end }}
  {{- if .Values.secrets.existingSecret.name }}
  - { name: check-secrets, mountPath: /run/secrets/outpost-checks, readOnly: true }
  {{- end }}
  {{- if and .Values.telemetry.endpoint .Values.telemetry.existingSecret.name }}
  - { name: telemetry, mountPath: /run/secrets/outpost-telemetry, readOnly: true }
  {{- end }}
  {{- if .Values.runtimes.volume }}
  - { name: runtimes, mountPath: /runtimes, readOnly: true }
  {{- end }}
  {{- if include "outpost-agent.caSources" . }}
  - { name: extra-ca, mountPath: /etc/outpost/ca, readOnly: true }
  {{- end }}
  {{- with .Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{- /* Its volumes, but for the one of the outbox. 288 is octal 0440: the key and the secrets are for the pod's group. */ -}}
{{- define "outpost-agent.volumes" -}}
{{- with include "outpost-agent.keySecret" . }}
- name: api-key
  secret:
    secretName: {{ . | quote }}
    defaultMode: 288
    items: [{ key: {{ empty $.Values.apiKey.existingSecret.name | ternary "api-key" $.Values.apiKey.existingSecret.key | quote }}, path: api-key }]
{{- end }}
{{- with .Values.agentic }}
{{- if and .model.url .keySecret.name }}
- name: model-key
  secret:
    secretName: {{ .keySecret.name | quote }}
    defaultMode: 288
    items: [{ key: {{ .keySecret.key | quote }}, path: model-key }]
{{- end }}
{{- end }}
{{- with .Values.secrets.existingSecret.name }}
- name: check-secrets
  secret: { secretName: {{ . | quote }}, defaultMode: 288 }
{{- end }}
{{- with .Values.telemetry }}
{{- if and .endpoint .existingSecret.name }}
- name: telemetry
  secret:
    secretName: {{ .existingSecret.name | quote }}
    defaultMode: 288
    items: [{ key: {{ .existingSecret.key | quote }}, path: headers }]
{{- end }}
{{- end }}
{{- with .Values.runtimes.volume }}
- {{ merge (dict "name" "runtimes") . | toYaml | nindent 2 | trim }}
{{- end }}
{{- with include "outpost-agent.caSources" . }}
- name: extra-ca
  projected:
    sources:
      {{- . | trim | nindent 6 }}
{{- end }}
{{- with .Values.browser }}
{{- if .enabled }}
{{- $led := ternary (int $.Values.agentic.concurrency) 0 (not (empty $.Values.agentic.model.url)) }}
- name: browser
  emptyDir: { sizeLimit: {{ printf "%dMi" (mul 1088 (add (int .concurrency) $led)) }} }
{{- end }}
{{- end }}
{{- with .Values.suites }}
{{- if .concurrency }}
- name: suites
  emptyDir: { sizeLimit: {{ include "outpost-agent.suitesSize" . }} }
{{- end }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "outpost-agent.emptyOutbox" -}}
- name: data
  emptyDir: { sizeLimit: {{ include "outpost-agent.outboxSize" . }} }
{{- end -}}

{{- /* One probe: its times are values, its port is the one port. */ -}}
{{- define "outpost-agent.probe" -}}
httpGet: { path: {{ .path }}, port: health }
periodSeconds: {{ int .times.periodSeconds }}
timeoutSeconds: {{ int .times.timeoutSeconds }}
failureThreshold: {{ int .times.failureThreshold }}
{{- end -}}

{{- define "outpost-agent.podTemplate" -}}
metadata:
  labels:
    {{- include "outpost-agent.podLabels" (list $ "agent" .Values.podLabels) | nindent 4 }}
  {{- $annotations := deepCopy .Values.podAnnotations }}
  {{- with .Values.apiKey.value }}
  {{- $_ := set $annotations "checksum/api-key" (sha256sum .) }}
  {{- end }}
  {{- with $annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- include "outpost-agent.podPlace" . | nindent 2 }}
  terminationGracePeriodSeconds: {{ add (include "outpost-agent.graceSeconds" .) 5 }}
  {{- with .Values.topologySpreadConstraints }}
  topologySpreadConstraints:
    {{- range . }}
    {{- $selector := dict "labelSelector" (dict "matchLabels" (include "outpost-agent.selectorLabels" $ | fromYaml)) }}
    - {{- merge (deepCopy .) $selector | toYaml | nindent 6 }}
    {{- end }}
  {{- end }}
  {{- with .Values.initContainers }}
  initContainers:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: agent
      args: [agent]
      {{- include "outpost-agent.container" . | nindent 6 }}
      ports:
        - { name: health, containerPort: {{ int .Values.healthPort }}, protocol: TCP }
      startupProbe:
        {{- include "outpost-agent.probe" (dict "path" "/-/liveness" "times" .Values.probes.startup) | nindent 8 }}
      livenessProbe:
        {{- include "outpost-agent.probe" (dict "path" "/-/liveness" "times" .Values.probes.liveness) | nindent 8 }}
      readinessProbe:
        {{- include "outpost-agent.probe" (dict "path" "/-/readiness" "times" .Values.probes.readiness) | nindent 8 }}
      resources:
        {{- include "outpost-agent.resources" . | trim | nindent 8 }}
    {{- with .Values.extraContainers }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}
