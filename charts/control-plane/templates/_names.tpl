{{/* "outpost-control-plane" for the release "outpost"; room is left for the longest suffix. */}}
{{- define "outpost-control-plane.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride }}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" }}
{{- else if or (eq .Release.Name $name) (hasPrefix (printf "%s-" .Release.Name) $name) }}
{{- $name | trunc 50 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 50 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{/* What selectors use: it never changes during a release's life. Takes (dict "root" $ "component" name). */}}
{{- define "outpost-control-plane.selectorLabels" -}}
app.kubernetes.io/name: {{ default .root.Chart.Name .root.Values.nameOverride | trunc 63 | trimSuffix "-" | quote }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{/* Labels of an object. Those of selectors win over the operator's. Takes root, component, and where given: labels. */}}
{{- define "outpost-control-plane.labels" -}}
{{- $chart := .root.Chart }}
{{- $own := dict
  "app.kubernetes.io/part-of" "outpost"
  "app.kubernetes.io/version" $chart.AppVersion
  "app.kubernetes.io/managed-by" .root.Release.Service
  "helm.sh/chart" (printf "%s-%s" $chart.Name $chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-") -}}
{{ mergeOverwrite $own .root.Values.commonLabels (default dict .labels) (include "outpost-control-plane.selectorLabels" . | fromYaml) | toYaml }}
{{- end }}

{{/* Labels of a pod: none that changes with the chart's version alone, which would replace all pods. Takes root and component. */}}
{{- define "outpost-control-plane.podLabels" -}}
{{- $selector := include "outpost-control-plane.selectorLabels" . | fromYaml -}}
{{ mergeOverwrite (dict "app.kubernetes.io/part-of" "outpost") .root.Values.commonLabels .root.Values.podLabels $selector | toYaml }}
{{- end }}

{{/* metadata of an object. Takes root, and where given: component, suffix, labels, annotations. */}}
{{- define "outpost-control-plane.metadata" -}}
name: {{ include "outpost-control-plane.fullname" .root }}{{ .suffix }}
namespace: {{ .root.Release.Namespace | quote }}
labels:
  {{- include "outpost-control-plane.labels" (dict "root" .root "component" (default "control-plane" .component) "labels" .labels) | nindent 2 }}
{{- with .annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "outpost-control-plane.image" -}}
{{- $image := .Values.image }}
{{- with $image.registry }}{{ trimSuffix "/" . }}/{{ end }}{{ $image.repository }}
{{- if $image.digest }}@{{ $image.digest }}{{ else }}:{{ default .Chart.AppVersion $image.tag }}{{ end }}
{{- end }}

{{- define "outpost-control-plane.serviceAccountName" -}}
{{- $given := .Values.serviceAccount.name }}
{{- if .Values.serviceAccount.create }}{{ default (include "outpost-control-plane.fullname" .) $given }}{{ else }}{{ default "default" $given }}{{ end }}
{{- end }}

{{/* Where pods of the cluster reach the control plane. */}}
{{- define "outpost-control-plane.serviceUrl" -}}
{{ ternary "https" "http" (not (empty .Values.tls.existingSecret.name)) }}://{{ include "outpost-control-plane.fullname" . }}.{{ .Release.Namespace }}.svc:{{ .Values.port }}
{{- end }}

{{- define "outpost-control-plane.publicUrl" -}}
{{- if .Values.publicUrl }}{{ .Values.publicUrl }}
{{- else if and .Values.ingress.enabled .Values.ingress.hosts (not (hasPrefix "*" (first .Values.ingress.hosts).host)) }}{{ ternary "https" "http" (not (empty .Values.ingress.tls)) }}://{{ (first .Values.ingress.hosts).host }}
{{- else if and .Values.httpRoute.enabled .Values.httpRoute.hostnames (not (hasPrefix "*" (first .Values.httpRoute.hostnames))) }}https://{{ first .Values.httpRoute.hostnames }}
{{- else }}{{ include "outpost-control-plane.serviceUrl" . }}
{{- end }}
{{- end }}

{{- define "outpost-control-plane.postgresql" -}}
{{- if eq .Values.database.type "postgresql" }}true{{ end }}
{{- end }}

{{/* True where more than one process may run. */}}
{{- define "outpost-control-plane.several" -}}
{{- if and (include "outpost-control-plane.postgresql" .) (or .Values.autoscaling.enabled (gt (int .Values.replicas) 1)) }}true{{ end }}
{{- end }}
